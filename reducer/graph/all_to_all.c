/* Kernels in which each rank of a communicator sends to all others and receives from all: one
 * meeting of all, where a meeting of each pair would be as many as the square of the ranks. */
#include "graph/pairing.h"

#include "graph/joins.h"

#include <baton/format.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SHIFT_MOST = 64, LEAST_RANKS = 3 };

struct row {           /* of a rank: its all-to-alls, in their order */
	uint32_t first, n; /* in `full` */
	int64_t shift;     /* the one that meets number i of the first rank is number i + shift */
};

struct gathering {
	struct pairing *p;
	uint32_t size;  /* of the communicator */
	uint32_t *full; /* members */
	struct row *rows;
	uint8_t *seen; /* by rank: 1: sent to, 2: received from */
};

static bool is_full(struct gathering *g, const struct member *m)
{
	uint32_t sent = 0, received = 0;
	if (m->size != g->size || m->n_parts < 2 * (g->size - 1))
		return false;
	memset(g->seen, 0, g->size + 1);
	for (uint32_t i = 0; i < m->n_parts; i++) {
		const struct part *part = &g->p->model->parts[m->first_part + i];
		const uint8_t bit = part->coll == BATON_COLL_RECV ? 2 : 1;
		const bool other = m->own_rank < 0 || part->peer != (uint32_t)m->own_rank + 1;
		if (part->peer > g->size || !other || g->seen[part->peer] & bit)
			continue;
		g->seen[part->peer] |= bit;
		sent += bit == 1;
		received += bit == 2;
	}
	return sent + 1 >= g->size && received + 1 >= g->size;
}

/* False: not every rank of the communicator is here with some. */
static bool find_rows(struct gathering *g)
{
	const struct pairing *p = g->p;
	uint32_t n_rows = 0, n = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const bool new = i == 0 || p->m[i]->rank != p->m[i - 1]->rank;
		if (new &&n_rows == g->size)
			return false;
		if (new)
			g->rows[n_rows++] = (struct row){.first = n};
		if (is_full(g, p->m[i])) {
			g->full[n++] = i;
			g->rows[n_rows - 1].n++;
		}
	}
	bool all = n_rows == g->size;
	for (uint32_t r = 0; all && r < n_rows; r++)
		all = g->rows[r].n > 0;
	return all;
}

static const struct member *at(const struct gathering *g, uint32_t r, int64_t i)
{
	const struct row *row = &g->rows[r];
	return i >= 0 && i < (int64_t)row->n ? g->p->m[g->full[row->first + (uint32_t)i]] : NULL;
}

/* The sample cuts the rows of ranks at different places: most of them ran at the same time. */
static int64_t find_shift(const struct gathering *g, uint32_t r)
{
	int64_t best = 0, best_shift = 0;
	for (int64_t turn = 0; turn <= 2 * SHIFT_MOST; turn++) {
		const int64_t shift = turn % 2 ? (turn + 1) / 2 : -turn / 2; /* the least first */
		int64_t met = 0;
		for (int64_t i = 0; i < (int64_t)g->rows[0].n; i++) {
			const struct member *x = at(g, 0, i), *y = at(g, r, i + shift);
			met += y && pairing_overlap_ns(x, y) >= PAIRING_OVERLAP_NS;
		}
		if (met > best) {
			best = met;
			best_shift = shift;
		}
		if (best == (int64_t)g->rows[0].n)
			break;
	}
	return best_shift;
}

/* The number i of the first rank meets those of the others, if all were there at the same time. */
static int meet(struct gathering *g, int64_t i)
{
	int64_t latest_ns = INT64_MIN, first_end_ns = INT64_MAX;
	uint32_t node;
	for (uint32_t r = 0; r < g->size; r++) {
		const struct member *m = at(g, r, i + g->rows[r].shift);
		if (!m)
			return 0;
		latest_ns = m->begin_ns > latest_ns ? m->begin_ns : latest_ns;
		first_end_ns = m->end_ns < first_end_ns ? m->end_ns : first_end_ns;
	}
	if (latest_ns + PAIRING_OVERLAP_NS > first_end_ns)
		return 0;
	int error = graph_add_nodes(&g->p->model->graph, &latest_ns, 1, &node);
	for (uint32_t r = 0; !error && r < g->size; r++) {
		const struct member *m = at(g, r, i + g->rows[r].shift);
		g->p->left[g->full[g->rows[r].first + (uint32_t)(i + g->rows[r].shift)]] = 0;
		error = join_member(g->p->model, m, node, m->end_ns - latest_ns);
	}
	return error;
}

int pairing_all_to_all(struct pairing *p)
{
	struct gathering g = {.p = p, .size = p->n ? p->m[0]->size : 0};
	if (g.size < LEAST_RANKS || g.size > p->n)
		return 0;
	g.full = malloc(p->n * sizeof(*g.full));
	g.rows = calloc(g.size + 1, sizeof(*g.rows));
	g.seen = malloc(g.size + 1);
	int error = g.full && g.rows && g.seen ? 0 : -ENOMEM;
	if (!error && find_rows(&g)) {
		for (uint32_t r = 1; r < g.size; r++)
			g.rows[r].shift = find_shift(&g, r);
		for (int64_t i = 0; !error && i < (int64_t)g.rows[0].n; i++)
			error = meet(&g, i);
	}
	free(g.full);
	free(g.rows);
	free(g.seen);
	return error;
}
