/* The kinds of finding: name, the leaves each gathers, what it means, what to try. One table for
 * every view. */
#ifndef CONCLUDE_FINDING_KINDS_H
#define CONCLUDE_FINDING_KINDS_H

#include "conclude/figures.h"

enum finding_id {
	/* losses: the leaves of each are its own */
	FINDING_INPUT,
	FINDING_SYNC,
	FINDING_FRAMEWORK,
	FINDING_API,
	FINDING_LAUNCH,
	FINDING_HOST_CODE,
	FINDING_ALLOC,
	FINDING_MODULE_LOAD,
	FINDING_NCCL_HOST,
	FINDING_NO_CORE,
	FINDING_BLOCKED,
	FINDING_HOST_FUNC,
	FINDING_PROFILER,
	FINDING_QUEUE_FULL,
	FINDING_DEPENDENCY,
	FINDING_SHARED,
	FINDING_DISPATCH,
	FINDING_WAIT,
	FINDING_TRANSFER,
	FINDING_UNSPLIT,
	FINDING_COPIES,
	FINDING_UNKNOWN,
	/* not a loss, but a rank may have more of it than the others: all kernels that are not NCCL's
	 */
	FINDING_WORK,
	/* what single ranks have more than the others */
	FINDING_ASYMMETRY,
	FINDING_LATE_RANK,
	FINDING_LATE_HOST,
	FINDING_LATE_MISSING,
	FINDING_BUBBLE, /* of a pipeline: structure, said after what is wrong */
	FINDING_UNEVEN, /* work or copies of one device, for which none of the others is seen to wait */
	FINDING_KINDS
};
enum { LOSS_KINDS = FINDING_WORK, TIME_KINDS = FINDING_WORK + 1 /* those with leaves */ };

struct finding_kind {
	const char *name;
	const char *leaf; /* the prefix that --leaf and --fail-if take; "": there is none */
	uint64_t leaves;
	const char *meaning;
	const char *remedy;       /* "": nothing that the user could try */
	const char *graph_remedy; /* instead of it where CUDA graphs are launched already; or NULL */
	/* instead of the meaning in a run without steps: it may be start-up, not a loop; or NULL. Then
	 * the remedy is finding_profile_later */
	const char *whole_run;
};

extern const struct finding_kind finding_kinds[FINDING_KINDS];
extern const char finding_profile_later[];

static inline enum finding_id finding_kind_id(const struct finding_kind *kind)
{
	return (enum finding_id)(kind - finding_kinds);
}

enum severity { SEVERITY_NONE, SEVERITY_LOW, SEVERITY_MEDIUM, SEVERITY_HIGH };

const char *severity_name(enum severity severity);
/* A loss is a finding when it is large enough to act on: 2 % of the step and above clocks and our
 * own cost, and its lower limit (conclude/by_step.h) at least 1 % of the step. */
enum severity severity_of(const struct summary *summary, const struct figures *figures,
						  int64_t share_ns, int64_t limit_ns);

/* The median of the devices but for `except`. 0 or -ENOMEM. */
int loss_median_of_others(const struct summary *summary, const struct finding_kind *kind,
						  size_t except, int64_t *ns);

#endif
