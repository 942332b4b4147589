/* One finding: a cause of lost time, as sentences; and what findings are made from. */
#ifndef CONCLUDE_FINDING_H
#define CONCLUDE_FINDING_H

#include "conclude/finding_kinds.h"
#include "conclude/gain_reference.h"
#include "conclude/rare.h"
#include "conclude/replay_everywhere.h"
#include "conclude/replay_late.h"
#include "conclude/stragglers.h"

/* Of whom a finding is. */
struct finding_whom {
	bool device_known;
	size_t device;           /* of summary->devices */
	int32_t rank;            /* -1: it is not about one */
	struct device_host host; /* at NULL: it is not about one */
	const char *cause; /* what it has more than the others: a finding's name; NULL: not known */
};

struct finding {
	enum finding_id id;
	const char *leaf;       /* prefix for --leaf; "" when it is not about one */
	enum severity severity; /* SEVERITY_NONE: a loss, not a finding */
	int64_t share_ns;       /* per step, mean of devices */
	char summary[320];      /* what it means, in a line */
	char remedy[200];       /* what to try; may be empty */
	char evidence[500];     /* which rows stood behind it; may be empty */
	int64_t rank_ns;        /* what findings are ordered by: the share, or replay_rank_ns() */
	int64_t gain_ns;        /* of a step without it, by the replay */
	int64_t gain_low_ns, gain_high_ns; /* it lies between these */
	int64_t gain_alone_ns;             /* when nothing else is cured; -1: not known */
	enum gain_reference reference;     /* of the gain */
	bool gain_known;
	bool gain_unsized; /* too much of the critical path is not explained to say how large it is */
	bool in_few_steps; /* as large as a finding, but it may not come again: severity low */
	bool at_start;     /* of these, the first has half: it may be warming up, and comes last */
	bool structural;   /* how the program is built: comes after causes that can be cured */
	struct finding_whom whom;
	struct replay_others others; /* n > 0: the gain is a part of what curing them too wins */
	const struct culprit_summary *joint; /* it pays only with another cause, which this names */
	struct rare rare; /* rare.in > 0: most of it is in so few steps; the summary says so too */
};

static inline bool finding_counts(const struct finding *finding)
{
	return finding->severity != SEVERITY_NONE;
}

struct finding_source { /* a run, and what is known of it when its findings are made */
	const struct summary *summary;
	const struct figures *f;
	const struct stragglers *late;
	const struct everywhere *everywhere;
	bool graphs; /* CUDA graphs are launched */
};

#endif
