/* Sends that meet receives: by their peers, else kernels of neighbouring ranks that run at the same
 * time. */
#include "graph/joins.h"

#include "base/room.h"
#include "base/sort.h"
#include "graph/pairing.h"

#include <baton/format.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ENDS_NS = 3000, NEAR_NS = 5000, LOOK_AHEAD = 8, TIMES = 3, USUAL_NS = 200000 };

static bool end_together(const struct member *a, const struct member *b)
{
	const int64_t apart_ns = a->end_ns - b->end_ns;
	return apart_ns <= ENDS_NS && apart_ns >= -ENDS_NS;
}

int64_t pairing_overlap_ns(const struct member *a, const struct member *b)
{
	const int64_t from = a->begin_ns > b->begin_ns ? a->begin_ns : b->begin_ns;
	return (a->end_ns < b->end_ns ? a->end_ns : b->end_ns) - from;
}

static int add(struct pairing *p, uint32_t member, uint32_t node, int64_t latest_ns, int64_t ns)
{
	if (room_for((void **)&p->meetings, p->n_meetings, &p->room, 256, sizeof(*p->meetings)) != 0)
		return -ENOMEM;
	p->meetings[p->n_meetings++] = (struct meeting){member, node, latest_ns, ns};
	p->met[member]++;
	p->left[member]--;
	return 0;
}

int pairing_meet(struct pairing *p, uint32_t a, uint32_t b)
{
	const struct member *x = p->m[a], *y = p->m[b];
	const int64_t latest_ns = x->begin_ns > y->begin_ns ? x->begin_ns : y->begin_ns;
	const int64_t until_ns = x->end_ns < y->end_ns ? x->end_ns : y->end_ns;
	const bool same = end_together(x, y);
	uint32_t node;
	int error = graph_add_nodes(&p->model->graph, &latest_ns, 1, &node);
	error = error ? error
				  : add(p, a, node, latest_ns,
						(same || p->left[a] + p->met[a] == 1 ? x->end_ns : until_ns) - latest_ns);
	error = error ? error
				  : add(p, b, node, latest_ns,
						(same || p->left[b] + p->met[b] == 1 ? y->end_ns : until_ns) - latest_ns);
	p->model->meetings += !error;
	return error;
}

/* A send meets a receive; a kernel that does both may meet either. */
static bool may_meet(const struct member *a, const struct member *b)
{
	return a->coll != b->coll || a->coll == BATON_COLL_SENDRECV;
}

/* Of the next rank's kernels from `from` on the one that fits best: ends together, then longest. */
static uint32_t best_of(const struct pairing *p, uint32_t a, uint32_t from, uint32_t to)
{
	const struct member *x = p->m[a];
	uint32_t best = UINT32_MAX;
	for (uint32_t b = from; b < to && b < from + LOOK_AHEAD; b++) {
		const struct member *y = p->m[b];
		if (y->begin_ns > x->end_ns + NEAR_NS)
			break;
		const bool same = end_together(x, y);
		const int64_t overlap = pairing_overlap_ns(x, y);
		if (!p->left[b] || !may_meet(x, y) || overlap < PAIRING_OVERLAP_NS ||
			(!same && overlap <= 0))
			continue;
		bool taken = false; /* two kernels meet once */
		for (size_t i = p->n_meetings; i-- > 0 && p->n_meetings - i <= 2 * LOOK_AHEAD;)
			taken |= p->meetings[i].member == a && i + 1 < p->n_meetings &&
					 p->meetings[i + 1].member == b &&
					 p->meetings[i].node == p->meetings[i + 1].node;
		if (taken)
			continue;
		if (best == UINT32_MAX || same > end_together(x, p->m[best]) ||
			(same == end_together(x, p->m[best]) && overlap > pairing_overlap_ns(x, p->m[best])))
			best = b;
	}
	return best;
}

/* The kernels [a, b) of a rank and [b, c) of the next one. */
static int pair_ranks(struct pairing *p, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t from = b;
	for (uint32_t i = a; i < b; i++) {
		while (from < c && p->m[from]->end_ns < p->m[i]->begin_ns - NEAR_NS)
			from++;
		for (uint32_t best; p->left[i] && (best = best_of(p, i, from, c)) != UINT32_MAX;) {
			int error = pairing_meet(p, i, best);
			if (error)
				return error;
		}
	}
	return 0;
}

static int by_member(const void *a, const void *b)
{
	const struct meeting *x = a, *y = b;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return x->latest_ns < y->latest_ns ? -1 : x->latest_ns > y->latest_ns;
}

static int by_ns(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/* Of the meetings by member the number `i`. */
static bool is_last(const struct pairing *p, size_t i)
{
	return i + 1 == p->n_meetings || p->meetings[i + 1].member != p->meetings[i].member;
}

/* What kernels with one meeting take from it on, else what all take from their last one on. Returns
 * how many. */
static size_t gather_usual(const struct pairing *p, bool single, int64_t *usual_ns)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_meetings; i++) {
		const struct meeting *meeting = &p->meetings[i];
		const int64_t ns =
			single ? meeting->ns : p->m[meeting->member]->end_ns - meeting->latest_ns;
		const bool counts = single ? p->met[meeting->member] == 1 : is_last(p, i);
		if (counts && ns > 0)
			usual_ns[n++] = ns;
	}
	return n;
}

/* The lower quartile of that, times three. */
static int usual_most(const struct pairing *p, int64_t *most_ns)
{
	int64_t *usual_ns = malloc((p->n_meetings + 1) * sizeof(*usual_ns));
	if (!usual_ns)
		return -ENOMEM;
	size_t n = gather_usual(p, true, usual_ns);
	n = n ? n : gather_usual(p, false, usual_ns);
	sort_rows(usual_ns, n, sizeof(*usual_ns), by_ns);
	const int64_t quarter_ns = n ? usual_ns[n / 4] : USUAL_NS;
	*most_ns = quarter_ns < INT64_MAX / TIMES ? TIMES * quarter_ns : INT64_MAX;
	free(usual_ns);
	return 0;
}

/* A kernel's last meeting takes what is measured up to its end; the time of the others would be
 * that of waiting for the last one. */
static int link_meetings(struct pairing *p)
{
	int64_t most_ns;
	sort_rows(p->meetings, p->n_meetings, sizeof(*p->meetings), by_member);
	int error = usual_most(p, &most_ns);
	for (size_t i = 0; !error && i < p->n_meetings; i++) {
		const struct meeting *meeting = &p->meetings[i];
		const struct member *member = p->m[meeting->member];
		int64_t ns = meeting->ns < most_ns ? meeting->ns : most_ns;
		if (is_last(p, i))
			ns = member->end_ns - meeting->latest_ns;
		error = join_member(p->model, member, meeting->node, ns);
	}
	return error;
}

int meetings_link(struct model *model, struct member **members, size_t n)
{
	struct pairing p = {.model = model, .m = members, .n = n};
	p.left = calloc(n + 1, sizeof(*p.left));
	p.met = calloc(n + 1, sizeof(*p.met));
	int error = p.left && p.met ? 0 : -ENOMEM;
	for (size_t i = 0; !error && i < n; i++)
		p.left[i] = members[i]->calls;
	if (!error)
		error = pairing_all_to_all(&p);
	error = error ? error : pairing_by_peers(&p);
	size_t a = 0, b = 0;
	while (b < n && members[b]->rank == members[0]->rank)
		b++;
	for (size_t c; !error && b < n; a = b, b = c) {
		for (c = b; c < n && members[c]->rank == members[b]->rank; c++)
			;
		error = pair_ranks(&p, (uint32_t)a, (uint32_t)b, (uint32_t)c);
	}
	if (!error && p.n_meetings)
		error = link_meetings(&p);
	free(p.left);
	free(p.met);
	free(p.meetings);
	return error;
}
