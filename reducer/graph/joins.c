#include "graph/joins.h"

#include "base/room.h"
#include "base/sort.h"

#include <baton/format.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Ends of a collective that is matched by its order, or has a root, are so near. */
enum { TOGETHER_NS = 200000 };

/* What one rank sends to all or gets from all: only those whose ends say so have waited. */
static bool has_root(uint32_t coll)
{
	return coll >= BATON_COLL_BROADCAST && coll <= BATON_COLL_SCATTER;
}

static bool meets_all(uint32_t coll)
{
	return coll == COLL_ORDERED || (coll >= BATON_COLL_ALLREDUCE && coll <= BATON_COLL_BARRIER) ||
		   has_root(coll);
}

static bool is_pairwise(uint32_t coll)
{
	return coll >= BATON_COLL_SEND && coll <= BATON_COLL_SENDRECV;
}

static int by_collective(const void *a, const void *b)
{
	const struct member *x = *(struct member *const *)a, *y = *(struct member *const *)b;
	const bool x_pair = is_pairwise(x->coll), y_pair = is_pairwise(y->coll);
	if (x_pair != y_pair)
		return x_pair - y_pair;
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x_pair && x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x_pair)
		return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
	if (x->coll != y->coll)
		return x->coll < y->coll ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static bool together(const struct member *x, const struct member *y)
{
	if (is_pairwise(x->coll) || is_pairwise(y->coll))
		return is_pairwise(x->coll) && is_pairwise(y->coll) && x->comm == y->comm;
	return x->comm == y->comm && x->coll == y->coll && x->step == y->step &&
		   x->sequence == y->sequence;
}

int join_member(struct model *model, const struct member *member, uint32_t meeting, int64_t ns)
{
	const struct edge arrive = {member->begin, meeting, 0, member->unit, EDGE_ARRIVE};
	const struct edge leave = {meeting, member->end, ns > 0 ? ns : 1, UNIT_NONE, EDGE_TRANSFER};
	struct transfer *transfer = MODEL_ADD(model, transfers);
	if (!transfer)
		return -ENOMEM;
	transfer->meeting = meeting;
	transfer->ns = ns;
	transfer->bytes = member->bytes;
	model->met += model->graph.edges[member->op].ns > 0;
	model->graph.edges[member->op].ns = 0;
	int error = graph_add_edge(&model->graph, &arrive, NULL);
	return error ? error : graph_add_edge(&model->graph, &leave, &transfer->edge);
}

/* All of them are here, each once, and they were in it at the same time. */
static bool is_whole(struct member **m, size_t n, int64_t *latest_ns)
{
	int64_t first_end_ns = INT64_MAX, last_end_ns = INT64_MIN;
	*latest_ns = INT64_MIN;
	if (n < 2 || n != m[0]->size)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i && m[i]->unit == m[i - 1]->unit)
			return false;
		*latest_ns = m[i]->begin_ns > *latest_ns ? m[i]->begin_ns : *latest_ns;
		first_end_ns = m[i]->end_ns < first_end_ns ? m[i]->end_ns : first_end_ns;
		last_end_ns = m[i]->end_ns > last_end_ns ? m[i]->end_ns : last_end_ns;
	}
	const bool may_differ = m[0]->coll == COLL_ORDERED || has_root(m[0]->coll);
	if (may_differ && last_end_ns - first_end_ns > TOGETHER_NS)
		return false; /* the order does not match them, or some did not wait */
	return *latest_ns <= first_end_ns;
}

static int join_all(struct model *model, struct member **m, size_t n)
{
	int64_t latest_ns, least_ns = INT64_MAX;
	uint32_t meeting;
	if (!meets_all(m[0]->coll) || !is_whole(m, n, &latest_ns))
		return 0;
	int error = graph_add_nodes(&model->graph, &latest_ns, 1, &meeting);
	uint64_t class = m[0]->coll;
	class = class * 0x9E3779B97F4A7C15u + (uint64_t)m[0]->bytes;
	class = class * 0x9E3779B97F4A7C15u + m[0]->size;
	for (size_t i = 0; i < n; i++)
		least_ns = m[i]->end_ns - latest_ns < least_ns ? m[i]->end_ns - latest_ns : least_ns;
	for (size_t i = 0; !error && i < n; i++) {
		error = join_member(model, m[i], meeting, m[i]->end_ns - latest_ns);
		if (error)
			return error;
		struct transfer *transfer = &model->transfers[model->n_transfers - 1];
		transfer->class = class | 1;
		transfer->ns = least_ns;
	}
	return error;
}

int joins_link(struct model *model)
{
	struct member **m = malloc((model->n_members + 1) * sizeof(*m));
	int error = 0;
	if (!m)
		return -ENOMEM;
	for (size_t i = 0; i < model->n_members; i++)
		m[i] = &model->members[i];
	sort_rows(m, model->n_members, sizeof(*m), by_collective);
	for (size_t i = 0, end; !error && i < model->n_members; i = end) {
		for (end = i + 1; end < model->n_members && together(m[i], m[end]); end++)
			;
		error = is_pairwise(m[i]->coll) ? meetings_link(model, &m[i], end - i)
										: join_all(model, &m[i], end - i);
	}
	free(m);
	return error;
}
