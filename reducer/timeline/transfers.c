/* Sends and receives between the stages: which compute operation each belongs to, and which two
 * meet. A profiler may write sends and receives that never happened (at the ends of the pipeline);
 * they meet nobody. */
#include "timeline/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLACK_NS = 50000 }; /* of clocks of two machines */

struct direction {
	enum op_kind compute, send, recv;
	int to; /* where it sends: +1 the next stage, -1 the one before */
};

static const struct direction directions[] = {
	{OP_FORWARD, OP_FORWARD_SEND, OP_FORWARD_RECV, 1},
	{OP_BACKWARD, OP_BACKWARD_SEND, OP_BACKWARD_RECV, -1},
};

/* The sends or the receives of a stage in one direction. */
struct side {
	const struct direction *d;
	uint32_t stage;
	enum op_kind kind;
	int64_t limit_ns; /* a receive begins before it, a send ends after it, or it never happened */
	uint32_t *real;   /* those that meet one of the other side, in order */
	uint32_t n_real;
};

/* The stage that another one sends to, or receives from; it goes round from the last to the first,
 * since the next chunk of the layers begins there. */
static uint32_t peer(const struct pattern *p, uint32_t stage, int step)
{
	const uint32_t n = p->timeline->n_stages;
	return (stage + n + (uint32_t)step) % n;
}

/* Is there a chunk of layers on the other side? */
static bool has_peer(const struct pattern *p, const struct op_row *compute, int step)
{
	const int64_t chunk = (int64_t)compute->chunk * p->timeline->n_stages + compute->stage + step;
	return chunk >= 0 && chunk < (int64_t)p->n_chunks * p->timeline->n_stages;
}

/* What happened has to do with a compute operation: it comes before the last one begins, or after
 * the first one ended. */
static void find_limit(const struct pattern *p, struct side *side)
{
	const uint32_t n = p->count[side->stage][side->d->compute];
	int64_t last_start_ns = INT64_MIN / 2, first_end_ns = INT64_MAX;
	for (uint32_t i = 0; i < n; i++) {
		const struct op_row *row = pattern_op(p, pattern_at(p, side->stage, side->d->compute, i));
		last_start_ns = row->start_ns > last_start_ns ? row->start_ns : last_start_ns;
		first_end_ns = row->end_ns < first_end_ns ? row->end_ns : first_end_ns;
	}
	side->limit_ns =
		side->kind == side->d->recv ? last_start_ns + SLACK_NS : first_end_ns - SLACK_NS;
}

static bool happened(const struct pattern *p, const struct side *side, uint32_t op)
{
	const struct op_row *row = pattern_op(p, op);
	return side->kind == side->d->recv ? row->start_ns <= side->limit_ns
									   : row->end_ns >= side->limit_ns;
}

/* Makes a send or receive and its compute operation wait as they must. */
static int tie(struct pattern *p, const struct side *side, uint32_t op, uint32_t compute)
{
	if (side->kind == side->d->send)
		return pattern_wait(p, compute, op);
	const uint32_t first = pattern_at(p, side->stage, side->d->compute, 0);
	int error = pattern_wait(p, op, compute);
	return error ? error : pattern_wait(p, compute > first ? compute - 1 : NO_OP, op);
}

/* *id: the compute operation that the first of them belongs to. The very first receive may be
 * missing where nothing is received. */
static int check_number(struct pattern *p, const struct side *side, uint32_t *id)
{
	const enum op_kind compute = side->d->compute;
	const uint32_t n_computes = p->count[side->stage][compute];
	const bool at_end = side->stage == 0 || side->stage == p->timeline->n_stages - 1;
	uint32_t n = 0;
	for (uint32_t i = 0; i < p->count[side->stage][side->kind]; i++)
		n += happened(p, side, pattern_at(p, side->stage, side->kind, i));
	*id = side->kind == side->d->recv && n + 1 == n_computes;
	if (n == n_computes || (at_end && (n == 0 || n + 1 == n_computes)))
		return 0;
	snprintf(p->trouble, OP_TROUBLE_BYTES, "stage %u has %u %s for %u %s", side->stage, n,
			 op_kinds[side->kind].name, n_computes, op_kinds[compute].name);
	return -EBADMSG;
}

static int find_side(struct pattern *p, struct side *side)
{
	uint32_t id;
	find_limit(p, side);
	int error = check_number(p, side, &id);
	for (uint32_t i = 0; !error && i < p->count[side->stage][side->kind]; i++) {
		const uint32_t op = pattern_at(p, side->stage, side->kind, i);
		error = pattern_wait(p, i > 0 ? op - 1 : NO_OP, op);
		if (error || !happened(p, side, op))
			continue;
		const uint32_t compute = pattern_at(p, side->stage, side->d->compute, id++);
		const int step = side->kind == side->d->send ? side->d->to : -side->d->to;
		error = tie(p, side, op, compute);
		if (has_peer(p, pattern_op(p, compute), step))
			side->real[side->n_real++] = op;
	}
	return error;
}

static int meet(struct pattern *p, const struct side *sends, const struct side *receives)
{
	if (sends->n_real != receives->n_real) {
		snprintf(p->trouble, OP_TROUBLE_BYTES,
				 "%u %s of stage %u have %u partners among the %s of stage %u", sends->n_real,
				 op_kinds[sends->kind].name, sends->stage, receives->n_real,
				 op_kinds[receives->kind].name, receives->stage);
		return -EBADMSG;
	}
	for (uint32_t i = 0; i < sends->n_real; i++) {
		const uint32_t a = sends->real[i], b = receives->real[i];
		p->join_of[a] = p->join_of[b] = a < b ? a : b;
	}
	return 0;
}

/* Each stage sends, and the one that it sends to receives: so all are looked at. */
static int find_direction(struct pattern *p, const struct direction *d, uint32_t *room)
{
	for (uint32_t stage = 0; stage < p->timeline->n_stages; stage++) {
		struct side sends = {.d = d, .stage = stage, .kind = d->send, .real = room};
		struct side receives = {.d = d,
								.stage = peer(p, stage, d->to),
								.kind = d->recv,
								.real = room + p->count[stage][d->send]};
		int error = find_side(p, &sends);
		error = error ? error : find_side(p, &receives);
		error = error ? error : meet(p, &sends, &receives);
		if (error)
			return error;
	}
	return 0;
}

int pattern_transfers(struct pattern *p)
{
	uint32_t *room = malloc((p->timeline->n_ops + 1) * sizeof(*room));
	int error = room ? 0 : -ENOMEM;
	for (size_t i = 0; !error && i < sizeof(directions) / sizeof(directions[0]); i++)
		error = find_direction(p, &directions[i], room);
	free(room);
	return error;
}
