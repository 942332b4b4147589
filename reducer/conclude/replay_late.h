/* Late ranks and hosts as the replay found them (docs/GRAPH.md): through any number of
 * communicators, and with what curing them would win. Pure. */
#ifndef CONCLUDE_REPLAY_LATE_H
#define CONCLUDE_REPLAY_LATE_H

#include "conclude/finding_kinds.h"
#include "conclude/gain_reference.h"

enum {
	REPLAY_CULPRITS_MOST = 4, /* so many choices, and the search goes no further */
	REPLAY_OTHERS_MOST = 32,
	REPLAY_SINGLE_LAUNCHES = 1 << 18, /* of so few each one is replayed, 600 bytes each */
};

struct replay_size {
	uint64_t launches, per_step; /* over all devices */
};
struct replay_size replay_size_of(const struct summary *summary);
/* Is each launch replayed, with the step before the counted ones? Else they go in bundles. */
bool replay_is_single(const struct replay_size *size);

/* Does a replay say who is late, or that nobody is? */
bool replay_knows(const struct summary *summary);
/* Is nobody late whom it does not name? An import may lack what a silent thread waited for. */
bool replay_clears(const struct summary *summary);
/* Did it find no cause at all? */
bool replay_finds_none(const struct summary *summary);
/* What a step without any transfer would win, once all culprits are cured; 0: not replayed. */
int64_t replay_transfer_ns(const struct summary *summary);
/* The same while nothing is cured: who is late hides transfers. -1: it is not known. */
int64_t replay_transfer_alone_ns(const struct summary *summary);
/* Of copies between hosts and devices, per step, once all are cured. -1: it is not known. */
int64_t replay_copies_ns(const struct summary *summary);

/* Is a critical path explained well enough to say how large a gain is? */
bool replay_explains(int64_t step_ns, int64_t unexplained_ns);
bool replay_sizes(const struct summary *summary);

struct replay_total {
	int64_t gain_ns, limit_ns, low_ns, high_ns;
	int64_t alone_ns; /* what they win when nothing before them is cured; -1: not asked */
	enum gain_reference reference; /* the weakest of them */
};
/* Of all causes of the culprit's rank or host. */
struct replay_total replay_total(const struct summary *summary,
								 const struct culprit_summary *culprit);

struct replay_others { /* devices that the replay found together with a culprit's */
	size_t device[REPLAY_OTHERS_MOST], n;
	int64_t gain_ns, limit_ns; /* of them and of all causes of the culprit's device */
};
/* Nobody where the culprit's device was found by itself. In the order of the culprits. */
struct replay_others replay_others(const struct summary *summary,
								   const struct culprit_summary *culprit);

/* What a finding of culprits wins by itself: `*alone_ns` of the first ones (NULL: this is the first),
 * and one more of them. -1: not asked. */
int64_t replay_alone_ns(const struct culprit_summary *culprit, const int64_t *alone_ns);

/* What a culprit wins, but less than those before it: what it wins only once they are cured shows
 * after them. It goes before those of which it wins a fifth more, with them and without. */
int64_t replay_rank_ns(const struct summary *summary, const struct culprit_summary *culprit);
/* Of a kind of `share_ns` that is no culprit's: its share, but at most 0.4 % of the step where the
 * replay asked for it in all steps, launch by launch, as it wins less beside the culprits. */
int64_t replay_rank_of_other(const struct summary *summary, enum finding_id id, int64_t share_ns);

/* The device of a culprit, of a host the one whose lateness causes most; summary->n_devices: it is
 * not about a rank or host. */
size_t replay_device(const struct summary *summary, const struct culprit_summary *culprit);
/* The device's row of lateness; NULL: no split collective is known of it. */
const struct late_summary *replay_late_row(const struct summary *summary, size_t device);
/* The kind of loss that a cause is; NULL: several may be. */
const struct finding_kind *replay_kind(const struct summary *summary,
									   const struct culprit_summary *culprit);
/* The same of a cause as docs/GRAPH.md names it. */
const struct finding_kind *replay_kind_named(const char *cause);

#endif
