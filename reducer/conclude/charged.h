/* A bridge whose waits are charged to those who make others wait (docs/ATTRIBUTION.md section 7,
 * "Waits in a comparison"). Pure: two summaries in, rows out. */
#ifndef CONCLUDE_CHARGED_H
#define CONCLUDE_CHARGED_H

#include "conclude/change.h"
#include "conclude/charge.h"

struct charge_change {                         /* of one who makes others wait, between two runs */
	const struct charge *base, *run;           /* NULL: not in that run */
	int64_t moved_ns[CHARGE_FROM][LEAF_COUNT]; /* of a term, from NCCL's leaf to one of its own */
	int64_t size_ns; /* how far its own time and the waits differ from what the base's would be */
};

struct charged { /* a run against the base */
	struct charges base, run;
	struct charge_change *at; /* largest moves first */
	size_t n;
	int64_t terms_ns[LEAF_COUNT]; /* with the waits charged: add up to what the terms add up to */
	int64_t before_ns[LEAF_COUNT], after_ns[LEAF_COUNT]; /* the leaves of both runs, so charged */
	struct change_range ranges[LEAF_COUNT];              /* where the change is known */
};

/* `change`: what change_find() says of the same sides. 0 or -ENOMEM; charged_close() either way. */
int charged_open(struct charged *charged, const struct change_sides *sides,
				 const struct change *change);
void charged_close(struct charged *charged);

/* The one of the two whose words count: the run's. */
static inline const struct charge *charge_change_words(const struct charge_change *change)
{
	return change->run ? change->run : change->base;
}
/* What of a leaf's term it moved there. */
int64_t charge_change_into(const struct charge_change *change, int leaf);
/* The leaves of its own time, in either run. */
uint64_t charge_change_leaves(const struct charge_change *change);

#endif
