/* Sends that meet receives by the peers that a recording has. */
#include "base/shift.h"
#include "base/sort.h"
#include "graph/pairing.h"

#include <baton/format.h>
#include <errno.h>
#include <stdlib.h>

struct link {               /* a send or a receive */
	int32_t from, to;       /* ranks in the communicator */
	uint32_t member, order; /* of the sorted ones; within its member */
	bool receives;
};

static int by_pair(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->receives != y->receives)
		return x->receives - y->receives;
	if (x->member != y->member)
		return x->member < y->member ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static bool same_pair(const struct link *x, const struct link *y)
{
	return x->from == y->from && x->to == y->to;
}

/* The rank in the communicator: as recorded, else by the order of the processes where each member
 * is here with one device. -1: unknown. */
static void number_ranks(const struct pairing *p, int32_t *ranks)
{
	uint32_t n = 0, units = 0;
	for (size_t i = 0; i < p->n; i++) {
		const bool new = i == 0 || p->m[i]->rank != p->m[i - 1]->rank;
		n += new;
		units += new || p->m[i]->unit != p->m[i - 1]->unit;
		ranks[i] = p->m[i]->own_rank >= 0 ? p->m[i]->own_rank : (int32_t)n - 1;
	}
	for (size_t i = 0; i < p->n; i++)
		if (units != n || (p->m[i]->own_rank < 0 && n != p->m[i]->size))
			ranks[i] = -1;
}

/* What a rank sends itself meets nobody. */
static size_t gather(struct pairing *p, const int32_t *ranks, struct link *links)
{
	size_t n = 0;
	for (uint32_t i = 0; i < p->n; i++) {
		const struct member *m = p->m[i];
		for (uint32_t k = 0; ranks[i] >= 0 && p->left[i] > 0 && k < m->n_parts; k++) {
			const struct part *part = &p->model->parts[m->first_part + k];
			const bool receives = part->coll == BATON_COLL_RECV;
			const int32_t peer = (int32_t)part->peer - 1;
			if (peer == ranks[i]) {
				p->left[i] -= p->left[i] > 0;
				continue;
			}
			links[n++] = (struct link){.from = receives ? peer : ranks[i],
									   .to = receives ? ranks[i] : peer,
									   .member = i,
									   .order = k,
									   .receives = receives};
		}
	}
	return n;
}

/* Kernels that met ran at the same time. */
static bool may_have_met(const struct pairing *p, const struct link *send,
						 const struct link *receive)
{
	return pairing_overlap_ns(p->m[send->member], p->m[receive->member]) >= PAIRING_OVERLAP_NS;
}

struct row { /* the links of one pair, sends first */
	const struct pairing *pairing;
	const struct link *links;
	int64_t sends;
};

static bool met(const void *context, int64_t i, int64_t k)
{
	const struct row *row = context;
	return may_have_met(row->pairing, &row->links[i], &row->links[row->sends + k]);
}

/* The links [0, n) of one pair: first the sends, then the receives. */
static int meet_in_order(struct pairing *p, const struct link *links, size_t n)
{
	size_t sends = 0;
	int error = 0;
	while (sends < n && !links[sends].receives)
		sends++;
	/* the sample cuts the two rows at different places */
	const struct row row = {p, links, (int64_t)sends};
	const int64_t shift =
		shift_best(&(struct shift_rows){row.sends, (int64_t)(n - sends), met, &row});
	for (int64_t i = shift < 0 ? -shift : 0;
		 !error && i < (int64_t)sends && i + shift < (int64_t)(n - sends); i++) {
		const struct link *send = &links[i], *receive = &links[(int64_t)sends + i + shift];
		if (p->left[send->member] && p->left[receive->member] && may_have_met(p, send, receive))
			error = pairing_meet(p, send->member, receive->member);
	}
	return error;
}

int pairing_by_peers(struct pairing *p)
{
	size_t most = 0;
	for (size_t i = 0; i < p->n; i++)
		most += p->m[i]->n_parts;
	if (!most)
		return 0;
	struct link *links = malloc(most * sizeof(*links));
	int32_t *ranks = malloc((p->n + 1) * sizeof(*ranks));
	int error = links && ranks ? 0 : -ENOMEM;
	size_t n = 0;
	if (!error) {
		number_ranks(p, ranks);
		n = gather(p, ranks, links);
		sort_rows(links, n, sizeof(*links), by_pair);
	}
	for (size_t i = 0, end; !error && i < n; i = end) {
		for (end = i + 1; end < n && same_pair(&links[i], &links[end]); end++)
			;
		error = meet_in_order(p, &links[i], end - i);
	}
	free(links);
	free(ranks);
	return error;
}
