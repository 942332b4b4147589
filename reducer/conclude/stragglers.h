/* Ranks that the others wait for, step after step, and what such a rank does with its time that the
 * others do not (docs/ATTRIBUTION.md section 7). Pure: a summary in, rows out. */
#ifndef CONCLUDE_STRAGGLERS_H
#define CONCLUDE_STRAGGLERS_H

#include "summary/device_host.h"
#include "conclude/finding_kinds.h"
#include "conclude/pipeline.h"

struct excess { /* what a device has more of than the median of the others, per step */
	const struct finding_kind *kind; /* NULL: nothing */
	int64_t own_ns, others_ns;
	int64_t taken_ns; /* of the difference: what can have made it late, mean of the devices */
};

enum { EXCESSES = 3 };

struct straggler { /* a rank, or a host: then device, rank and late are of its worst rank */
	size_t device; /* of summary->devices */
	int32_t rank;
	struct device_host host;         /* its ranks together are late; host.at NULL: one rank is */
	int64_t caused_ns;               /* of them together, or of the rank */
	const struct late_summary *late; /* NULL: told from NCCL time that is not split */
	const struct culprit_summary *culprit; /* the replay says so, and the gain; or NULL */
	bool partial;    /* members of its collectives are missing, it is the last here */
	bool missing;    /* one of those is late: no device, no rank, no own time */
	bool persistent; /* else now and then, but nobody else causes as much */
	int64_t late_ns; /* per step: how long each other device stands exposed for it */
	int64_t wait_ns; /* the same as a share of the step: mean of all devices */
	struct excess excess[EXCESSES]; /* largest first */
	int64_t taken_ns[TIME_KINDS];   /* wait_ns and these are its loss: no other finding has them */
};

struct stragglers {
	struct straggler *at; /* largest wait first */
	size_t n;
	struct pipeline pipeline; /* the bubble of which no straggler makes */
};

/* 0 or -ENOMEM; stragglers_close() either way. */
int stragglers_open(struct stragglers *stragglers, const struct summary *summary,
					const struct figures *figures);
void stragglers_close(struct stragglers *stragglers);

/* Is it told from NCCL time that is split? */
static inline bool straggler_is_split(const struct straggler *straggler)
{
	return straggler->late && !straggler->partial;
}
/* Is the device this one, or one of this host? */
bool straggler_has(const struct straggler *straggler, const struct summary *summary, size_t device);
/* How many devices are its own: more than one of a host. */
int64_t straggler_devices(const struct straggler *straggler, const struct summary *summary);
/* Some leaves of its own, the mean of a host's devices, and the median of the others' (own_ns and
 * others_ns). 0 or -ENOMEM. */
int straggler_compare(const struct straggler *straggler, const struct summary *summary,
					  uint64_t leaves, struct excess *excess);
/* The rank or host of a culprit, with the gain of all its causes. False: it is about neither. */
bool straggler_of_culprit(const struct summary *summary, const struct culprit_summary *culprit,
						  struct straggler *straggler);
/* Does nobody wait for it, as the run has no collectives? What curing it wins is of the mean step of
 * all devices then; straggler_of_own_step() is what of that mean is in a step of its own. */
bool straggler_is_apart(const struct straggler *straggler, const struct summary *summary);
int64_t straggler_of_own_step(const struct straggler *straggler, const struct summary *summary,
							  int64_t ns);
/* All of it: per step, mean of the devices. */
int64_t straggler_share(const struct straggler *straggler);

#endif
