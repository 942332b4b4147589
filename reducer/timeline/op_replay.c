#include "timeline/op_replay.h"

#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

/* ---- lengths ---- */

static int64_t *own_of(const struct op_replay *r, uint32_t step, uint32_t op)
{
	const struct timeline *t = r->timeline;
	return &r->own_ns[((size_t)step * t->n_ops + op) * t->n_dp];
}

static void take_durations(struct op_replay *r, uint32_t step)
{
	const struct timeline *t = r->timeline;
	for (uint32_t op = 0; op < t->n_ops; op++)
		for (uint32_t dp = 0; dp < t->n_dp; dp++) {
			const struct op_row *row = timeline_op(t, step, dp, op);
			own_of(r, step, op)[dp] = row->end_ns - row->start_ns;
		}
}

/* began_ns[dp]: when the last member began, of those that `dp` waits for. */
static void find_began(struct op_replay *r, uint32_t step, uint32_t join)
{
	const struct timeline *t = r->timeline;
	const struct schedule *s = r->schedule;
	int64_t last_ns = INT64_MIN;
	for (uint32_t dp = 0; dp < t->n_dp; dp++) {
		r->began_ns[dp] = INT64_MIN;
		for (uint32_t m = s->members.from[join]; m < s->members.from[join + 1]; m++) {
			const int64_t start_ns = timeline_op(t, step, dp, s->members.at[m])->start_ns;
			r->began_ns[dp] = start_ns > r->began_ns[dp] ? start_ns : r->began_ns[dp];
		}
		last_ns = r->began_ns[dp] > last_ns ? r->began_ns[dp] : last_ns;
	}
	for (uint32_t dp = 0; s->over_dp[join] && dp < t->n_dp; dp++)
		r->began_ns[dp] = last_ns;
}

/* A receive may end a little before its sender begins, by the clocks of two machines. */
static void take_transfers(struct op_replay *r, uint32_t step)
{
	const struct timeline *t = r->timeline;
	const struct schedule *s = r->schedule;
	for (uint32_t join = 0; join < s->n_joins; join++) {
		find_began(r, step, join);
		for (uint32_t m = s->members.from[join]; m < s->members.from[join + 1]; m++)
			for (uint32_t dp = 0; dp < t->n_dp; dp++) {
				const struct op_row *row = timeline_op(t, step, dp, s->members.at[m]);
				const int64_t ns = row->end_ns - r->began_ns[dp];
				own_of(r, step, s->members.at[m])[dp] = ns <= -OP_CLOCKS_NS ? 0 : ns;
			}
	}
}

/* ---- ideal lengths ---- */

static int by_length(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int64_t mean(const int64_t *ns, size_t n)
{
	__int128 sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += ns[i];
	return (int64_t)(sum / (__int128)n);
}

static int64_t median(int64_t *ns, size_t n)
{
	sort_rows(ns, n, sizeof(*ns), by_length);
	return n % 2 ? ns[n / 2] : (ns[n / 2 - 1] + ns[n / 2]) / 2;
}

/* `room` has room for the lengths of all operations. */
static void find_ideal(struct op_replay *r, enum op_kind kind, int64_t *room)
{
	const struct timeline *t = r->timeline;
	size_t n = 0;
	for (uint32_t op = 0; op < t->n_ops; op++) {
		if (timeline_op(t, 0, 0, op)->kind != kind)
			continue;
		for (uint32_t step = 0; step < t->n_steps; step++)
			for (uint32_t dp = 0; dp < t->n_dp; dp++)
				room[n++] = own_of(r, step, op)[dp];
	}
	if (n > 0)
		r->ideal_ns[kind] = op_kinds[kind].ideal_is_mean ? mean(room, n) : median(room, n);
}

int op_replay_open(const struct timeline *t, const struct schedule *schedule, struct op_replay *r)
{
	const size_t step_ops = (size_t)t->n_ops * t->n_dp, all = step_ops * t->n_steps;
	const size_t lanes = (size_t)t->n_dp + 1;
	*r = (struct op_replay){.timeline = t,
							.schedule = schedule,
							.own_ns = malloc(all * sizeof(int64_t)),
							.length_ns = malloc(lanes * t->n_ops * sizeof(int64_t)),
							.end_ns = malloc(lanes * t->n_ops * sizeof(int64_t)),
							.began_ns = malloc(lanes * sizeof(int64_t))};
	int64_t *room = malloc(all * sizeof(*room));
	int error = 0;
	if (!r->own_ns || !r->length_ns || !r->end_ns || !r->began_ns || !room)
		error = -ENOMEM;
	for (uint32_t step = 0; !error && step < t->n_steps; step++) {
		take_durations(r, step);
		take_transfers(r, step);
	}
	for (int kind = 0; !error && kind < OP_KINDS; kind++)
		find_ideal(r, (enum op_kind)kind, room);
	free(room);
	if (error)
		op_replay_close(r);
	return error;
}

void op_replay_close(struct op_replay *r)
{
	free(r->own_ns);
	free(r->length_ns);
	free(r->end_ns);
	free(r->began_ns);
	*r = (struct op_replay){0};
}

/* ---- a step ---- */

static void begin(const struct op_replay *r, uint32_t op, uint32_t lanes, int64_t *began_ns)
{
	const struct list *waits = &r->schedule->waits;
	for (uint32_t lane = 0; lane < lanes; lane++)
		began_ns[lane] = 0;
	for (uint32_t i = waits->from[op]; i < waits->from[op + 1]; i++) {
		const int64_t *end_ns = &r->end_ns[(size_t)waits->at[i] * lanes];
		for (uint32_t lane = 0; lane < lanes; lane++)
			began_ns[lane] = end_ns[lane] > began_ns[lane] ? end_ns[lane] : began_ns[lane];
	}
}

static void end(const struct op_replay *r, uint32_t op, uint32_t lanes, const int64_t *began_ns)
{
	const size_t at = (size_t)op * lanes;
	for (uint32_t lane = 0; lane < lanes; lane++)
		r->end_ns[at + lane] = began_ns[lane] + r->length_ns[at + lane];
}

/* All members begin before any of them ends. Until then a member's begin stands where its end will
 * stand. */
static void run_join(const struct op_replay *r, uint32_t join, uint32_t lanes)
{
	const struct schedule *s = r->schedule;
	int64_t *last_ns = r->began_ns;
	const uint32_t from = s->members.from[join], to = s->members.from[join + 1];
	for (uint32_t m = from; m < to; m++)
		begin(r, s->members.at[m], lanes, &r->end_ns[(size_t)s->members.at[m] * lanes]);
	for (uint32_t lane = 0; lane < lanes; lane++) {
		last_ns[lane] = 0;
		for (uint32_t m = from; m < to; m++) {
			const int64_t ns = r->end_ns[(size_t)s->members.at[m] * lanes + lane];
			last_ns[lane] = ns > last_ns[lane] ? ns : last_ns[lane];
		}
	}
	if (s->over_dp[join]) {
		int64_t all_ns = 0;
		for (uint32_t lane = 0; lane < lanes; lane++)
			all_ns = last_ns[lane] > all_ns ? last_ns[lane] : all_ns;
		for (uint32_t lane = 0; lane < lanes; lane++)
			last_ns[lane] = all_ns;
	}
	for (uint32_t m = from; m < to; m++)
		end(r, s->members.at[m], lanes, last_ns);
}

/* Of the lengths in length_ns. */
static int64_t run_step(const struct op_replay *r, uint32_t lanes)
{
	const struct schedule *s = r->schedule;
	const struct timeline *t = r->timeline;
	int64_t last_ns = 0, optimizer_ns = -1;
	for (uint32_t i = 0; i < s->n_units; i++) {
		const uint32_t op = s->order[i];
		if (s->join_of[op] != NO_JOIN) {
			run_join(r, s->join_of[op], lanes);
			continue;
		}
		begin(r, op, lanes, r->began_ns);
		end(r, op, lanes, r->began_ns);
	}
	for (uint32_t op = 0; op < t->n_ops; op++)
		for (uint32_t lane = 0; lane < lanes; lane++) {
			const int64_t ns = r->end_ns[(size_t)op * lanes + lane];
			last_ns = ns > last_ns ? ns : last_ns;
			if (timeline_op(t, 0, 0, op)->kind == OP_OPTIMIZER && ns > optimizer_ns)
				optimizer_ns = ns;
		}
	return optimizer_ns >= 0 ? optimizer_ns : last_ns;
}

int64_t op_replay_step(struct op_replay *r, uint32_t step, const struct keep *keep)
{
	const struct timeline *t = r->timeline;
	for (uint32_t op = 0; op < t->n_ops; op++) {
		const struct op_row *row = timeline_op(t, step, 0, op);
		for (uint32_t dp = 0; dp < t->n_dp; dp++)
			r->length_ns[(size_t)op * t->n_dp + dp] =
				keep->op(keep->context, row, dp) ? own_of(r, step, op)[dp] : r->ideal_ns[row->kind];
	}
	return run_step(r, t->n_dp);
}

/* All other ranks are alike: one lane stands for them. */
int64_t op_replay_step_of(struct op_replay *r, uint32_t step, uint32_t dp)
{
	const struct timeline *t = r->timeline;
	const uint32_t lanes = t->n_dp > 1 ? 2 : 1;
	for (uint32_t op = 0; op < t->n_ops; op++) {
		int64_t *length_ns = &r->length_ns[(size_t)op * lanes];
		length_ns[lanes - 1] = r->ideal_ns[timeline_op(t, step, 0, op)->kind];
		length_ns[0] = own_of(r, step, op)[dp];
	}
	return run_step(r, lanes);
}

int64_t op_replay_ideal(struct op_replay *r)
{
	const struct timeline *t = r->timeline;
	for (uint32_t op = 0; op < t->n_ops; op++)
		r->length_ns[op] = r->ideal_ns[timeline_op(t, 0, 0, op)->kind];
	return run_step(r, 1);
}
