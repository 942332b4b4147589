#include "timeline/pattern.h"

#include "base/room.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count_kinds(struct pattern *p)
{
	const struct timeline *t = p->timeline;
	for (uint32_t op = 0; op < t->n_ops; op++) {
		const struct op_row *row = pattern_op(p, op);
		if (p->count[row->stage][row->kind]++ == 0)
			p->first[row->stage][row->kind] = op;
		p->any[row->kind] = true;
		if (op_kind_computes(row->kind) && row->chunk + 1u > p->n_chunks)
			p->n_chunks = row->chunk + 1u;
	}
}

/* Both kinds are sorted; of equal begins the one that stands earlier in its kind is first, then
 * backward. */
static bool is_before(const struct pattern *p, uint32_t stage, uint32_t backward, uint32_t forward)
{
	const struct op_row *a = pattern_op(p, pattern_at(p, stage, OP_BACKWARD, backward));
	const struct op_row *b = pattern_op(p, pattern_at(p, stage, OP_FORWARD, forward));
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	return backward <= forward;
}

static void sort_computes(struct pattern *p)
{
	uint32_t n = 0;
	for (uint32_t stage = 0; stage < p->timeline->n_stages; stage++) {
		const uint32_t n_backward = p->count[stage][OP_BACKWARD];
		const uint32_t n_forward = p->count[stage][OP_FORWARD];
		p->compute_from[stage] = n;
		for (uint32_t b = 0, f = 0; b < n_backward || f < n_forward;) {
			if (f == n_forward || (b < n_backward && is_before(p, stage, b, f)))
				p->computes[n++] = pattern_at(p, stage, OP_BACKWARD, b++);
			else
				p->computes[n++] = pattern_at(p, stage, OP_FORWARD, f++);
		}
	}
	p->compute_from[p->timeline->n_stages] = n;
}

int pattern_open(struct pattern *p, const struct timeline *timeline, char *trouble)
{
	const uint32_t stages = timeline->n_stages, ops = timeline->n_ops;
	*p = (struct pattern){.timeline = timeline,
						  .trouble = trouble,
						  .first = calloc(stages, sizeof(*p->first)),
						  .count = calloc(stages, sizeof(*p->count)),
						  .computes = calloc(ops, sizeof(*p->computes)),
						  .compute_from = calloc(stages + 1, sizeof(*p->compute_from)),
						  .join_of = malloc(ops * sizeof(*p->join_of)),
						  .over_dp = calloc(ops, sizeof(*p->over_dp))};
	if (!p->first || !p->count || !p->computes || !p->compute_from || !p->join_of || !p->over_dp)
		return -ENOMEM;
	memset(p->join_of, 0xff, ops * sizeof(*p->join_of));
	count_kinds(p);
	sort_computes(p);
	for (uint32_t stage = 0; stage < stages; stage++)
		if (p->compute_from[stage] == p->compute_from[stage + 1]) {
			snprintf(trouble, OP_TROUBLE_BYTES,
					 "stage %u has neither forward-compute nor backward-compute", stage);
			return -EBADMSG;
		}
	return 0;
}

void pattern_close(struct pattern *p)
{
	free(p->first);
	free(p->count);
	free(p->computes);
	free(p->compute_from);
	free(p->edges);
	free(p->join_of);
	free(p->over_dp);
}

int pattern_wait(struct pattern *p, uint32_t from, uint32_t to)
{
	if (from == NO_OP || to == NO_OP)
		return 0;
	if (room_for((void **)&p->edges, p->n_edges, &p->edges_room, 256, sizeof(*p->edges)) != 0)
		return -ENOMEM;
	p->edges[p->n_edges++] = (struct pattern_edge){from, to};
	return 0;
}
