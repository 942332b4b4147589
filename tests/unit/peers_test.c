/* Sends meet receives by their recorded peers: not the neighbour that happens to run at the same
 * time, and in order though the sample cuts the two rows at different places. */
#include "check.h"
#include "graph/joins.h"

#include <baton/format.h>

enum { ROUNDS = 5, US = 1000 };

/* A kernel of one send or receive. */
static uint32_t add(struct model *m, int32_t rank, int64_t begin_us, int64_t end_us,
					struct part part)
{
	const int64_t ns[] = {begin_us * US, end_us * US};
	uint32_t node, op;
	CHECK(graph_add_nodes(&m->graph, ns, 2, &node) == 0, "no nodes");
	const struct edge edge = {node, node + 1, ns[1] - ns[0], (uint16_t)rank, EDGE_OP};
	CHECK(graph_add_edge(&m->graph, &edge, &op) == 0, "no edge");
	*MODEL_ADD(m, members) = (struct member){.comm = 7,
											 .coll = part.coll,
											 .step = -1,
											 .begin_ns = ns[0],
											 .end_ns = ns[1],
											 .size = 4,
											 .calls = 1,
											 .first_part = (uint32_t)m->n_parts,
											 .n_parts = part.peer != 0,
											 .own_rank = rank,
											 .begin = node,
											 .end = node + 1,
											 .op = op,
											 .rank = rank,
											 .unit = (uint16_t)rank};
	if (part.peer)
		*MODEL_ADD(m, parts) = part;
	return node;
}

/* When the two that the member's end comes from had met; INT64_MIN: it has met nobody. */
static int64_t met_at_us(const struct model *m, uint32_t begin)
{
	for (size_t i = 0; i < m->n_transfers; i++)
		if (m->graph.edges[m->transfers[i].edge].to == begin + 1)
			return m->graph.measured_ns[m->transfers[i].meeting] / US;
	return INT64_MIN;
}

/* Rank 0 sends to rank 2, which comes later; rank 1 receives from rank 3, which is not here, at the
 * same time. `told`: the peers are recorded. */
static void exchange(bool told)
{
	struct model m = {0};
	uint32_t sends[ROUNDS], receives[ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		const int64_t at = 1000 * i;
		sends[i] = add(&m, 0, at, at + 500, (struct part){told ? 3 : 0, BATON_COLL_SEND});
		add(&m, 1, at + 10, at + 400, (struct part){told ? 4 : 0, BATON_COLL_RECV});
		if (i > 0)
			receives[i] =
				add(&m, 2, at + 300, at + 501, (struct part){told ? 1 : 0, BATON_COLL_RECV});
	}
	CHECK(joins_link(&m) == 0, "not linked");
	for (int i = 1; i < ROUNDS; i++) {
		const int64_t expected = told ? 1000 * i + 300 : 1000 * i + 10;
		CHECK(met_at_us(&m, sends[i]) == expected, "round %d: the send met at %lld us", i,
			  (long long)met_at_us(&m, sends[i]));
		CHECK(!told || met_at_us(&m, receives[i]) == expected, "round %d: the receive met at %lld",
			  i, (long long)met_at_us(&m, receives[i]));
	}
	model_free(&m);
}

/* A kernel that sends to all and receives from all, itself too. */
static void add_all_to_all(struct model *m, int32_t rank, uint32_t all, const int64_t us[2])
{
	add(m, rank, us[0], us[1], (struct part){0, BATON_COLL_SENDRECV});
	struct member *member = &m->members[m->n_members - 1];
	member->size = all;
	member->calls = member->n_parts = 2 * all;
	for (uint32_t i = 0; i < 2 * all; i++)
		*MODEL_ADD(m, parts) = (struct part){1 + i / 2, i % 2 ? BATON_COLL_RECV : BATON_COLL_SEND};
}

/* Keeps out: a meeting with oneself, a wait for the last rank told as the transfer of the ranks that
 * were there before, and meetings of all pairs, whose number grows with the square of the ranks. The
 * sample lacks the first round of rank 1. */
static void all_to_all(uint32_t all)
{
	struct model m = {0};
	for (int i = 0; i < ROUNDS; i++)
		for (uint32_t rank = 0; rank < all; rank++) {
			const int64_t at = 1000 * i, late = rank == 2 ? 501 : rank % 5;
			if (i > 0 || rank != 1)
				add_all_to_all(&m, (int32_t)rank, all, (int64_t[]){at + late, at + 551});
		}
	CHECK(joins_link(&m) == 0, "not linked");
	size_t whole = 0;
	for (size_t i = 0; i < m.n_transfers; i++) {
		const struct edge *edge = &m.graph.edges[m.transfers[i].edge];
		const int64_t met_us = m.graph.measured_ns[edge->from] / US;
		whole += met_us >= 1000;
		CHECK(met_us < 1000 || (met_us % 1000 == 501 && edge->ns == 50 * US),
			  "met at %lld us, %lld ns to the end", (long long)met_us, (long long)edge->ns);
	}
	CHECK(whole == (ROUNDS - 1) * (size_t)all, "%zu transfers of %u ranks", whole, all);
	model_free(&m);
}

int main(void)
{
	all_to_all(3);
	all_to_all(64);
	exchange(true);
	exchange(false); /* by time alone: what is kept out */
	return finish();
}
