/* The pattern of a timeline while its schedule is made: where the operations of a kind are, and the
 * edges and joins found so far. */
#ifndef TIMELINE_PATTERN_H
#define TIMELINE_PATTERN_H

#include "timeline/timeline.h"

#define NO_OP UINT32_MAX

struct pattern_edge {
	uint32_t from, to; /* `to` waits for `from` */
};

struct pattern {
	const struct timeline *timeline;
	uint32_t (*first)[OP_KINDS]; /* [stage][kind]: the first operation; they follow each other */
	uint32_t (*count)[OP_KINDS];
	uint32_t n_chunks;
	bool any[OP_KINDS];
	uint32_t *computes, *compute_from; /* of each stage: forward and backward by start */
	struct pattern_edge *edges;
	size_t n_edges, edges_room;
	uint32_t *join_of; /* a join has the number of its first member */
	bool *over_dp;     /* by that number */
	char *trouble;
};

int pattern_open(struct pattern *pattern, const struct timeline *timeline, char *trouble);
void pattern_close(struct pattern *pattern);

static inline const struct op_row *pattern_op(const struct pattern *p, uint32_t op)
{
	return timeline_op(p->timeline, 0, 0, op);
}

/* The i-th operation of a kind in a stage. */
static inline uint32_t pattern_at(const struct pattern *p, uint32_t stage, enum op_kind kind,
								  uint32_t i)
{
	return p->first[stage][kind] + i;
}

/* `to` waits for `from`; nothing when one is NO_OP. 0 or -ENOMEM. */
int pattern_wait(struct pattern *pattern, uint32_t from, uint32_t to);

/* Finds the edges and joins of sends and receives (transfers.c). 0, -EBADMSG or -ENOMEM. */
int pattern_transfers(struct pattern *pattern);

/* Finds the edges within each stage (stages.c). 0 or -ENOMEM. */
int pattern_stages(struct pattern *pattern);

#endif
