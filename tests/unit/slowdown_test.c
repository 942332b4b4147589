/* S, M_W and M_S of timelines that are small enough to be replayed by hand. Times are in ms. */
#include "timeline/slowdown.h"

#include "check.h"

#include <math.h>
#include <string.h>

static const int64_t MS = 1000000;

struct made {
	struct op_rows rows;
	struct timeline timeline;
	struct schedule schedule;
	struct op_replay replay;
	struct slowdown slowdown;
	char trouble[OP_TROUBLE_BYTES];
	int64_t step;
	uint32_t dp;
	uint16_t stage;
	uint8_t chunk;
};

/* The next rows are of this worker. */
static void at(struct made *m, int64_t step, uint16_t stage, uint32_t dp)
{
	m->step = step;
	m->stage = stage;
	m->dp = dp;
}

static void add(struct made *m, enum op_kind kind, int64_t start_ms, int64_t end_ms)
{
	const struct op_row row = {.start_ns = start_ms * MS,
							   .end_ns = end_ms * MS,
							   .step = m->step,
							   .dp = m->dp,
							   .rank = -1,
							   .microbatch = -1,
							   .stage = m->stage,
							   .chunk = m->chunk,
							   .kind = (uint8_t)kind};
	CHECK(op_rows_add(&m->rows, &row) == 0, "out of memory");
}

static int find(struct made *m)
{
	int error = timeline_arrange(&m->rows, &m->timeline, m->trouble);
	error = error ? error : schedule_make(&m->timeline, &m->schedule, m->trouble);
	error = error ? error : op_replay_open(&m->timeline, &m->schedule, &m->replay);
	return error ? error : slowdown_find(&m->replay, &m->slowdown);
}

static void clear(struct made *m)
{
	slowdown_free(&m->slowdown);
	op_replay_close(&m->replay);
	schedule_free(&m->schedule);
	timeline_free(&m->timeline);
	op_rows_free(&m->rows);
}

static void check_near(double is, double want, const char *what)
{
	CHECK(fabs(is - want) < 1e-9 * fabs(want) + 1e-12, "%s is %.9f, not %.9f", what, is, want);
}

static double part(const struct slowdown_part *parts, uint32_t n, uint32_t index)
{
	for (uint32_t i = 0; i < n; i++)
		if (parts[i].index == index)
			return parts[i].slowdown;
	return NAN;
}

/* Stage 1 of a data-parallel rank: forward takes `forward` ms from 11 on. What follows is later by
 * the same amount. Both gradients meet at `last`, when the slower rank has them. */
static void add_rank(struct made *m, uint32_t dp, int64_t forward)
{
	const int64_t back = 11 + forward, sent = back + 20;
	at(m, 5, 0, dp);
	add(m, OP_FORWARD, 0, 10);
	add(m, OP_FORWARD_SEND, 10, 11);
	add(m, OP_BACKWARD_RECV, 10, sent + 1);
	add(m, OP_BACKWARD, sent + 1, sent + 21);
	add(m, OP_GRADS_SCATTER, sent + 21, 87);
	add(m, OP_CLIP, 87, 88);
	add(m, OP_OPTIMIZER, 88, 90);
	at(m, 5, 1, dp);
	add(m, OP_FORWARD_RECV, 0, 11);
	add(m, OP_FORWARD, 11, back);
	add(m, OP_BACKWARD, back, sent);
	add(m, OP_BACKWARD_SEND, sent, sent + 1);
	add(m, OP_GRADS_SCATTER, sent, 66);
	add(m, OP_CLIP, 66, 88);
	add(m, OP_OPTIMIZER, 88, 90);
}

/* Two stages, two data-parallel ranks. Forward takes 10 ms, but 30 ms in stage 1 of rank 1: ideal
 * is their mean, 15. Backward takes 20, a transfer 1, gradients 5, the norm 1, the optimizer 2. */
static void pipeline_by_hand(void)
{
	struct made m = {0};
	add_rank(&m, 0, 10);
	add_rank(&m, 1, 30);
	CHECK(find(&m) == 0, "refused: %s", m.trouble);
	const struct slowdown *s = &m.slowdown;
	check_near(s->measured_ns, 90e6, "a measured step");
	check_near(s->base_ns, 10e6 + 1e6 + 30e6 + 20e6 + 1e6 + 20e6 + 5e6 + 1e6 + 2e6, "T");
	check_near(s->ideal_ns, 15e6 + 1e6 + 15e6 + 20e6 + 1e6 + 20e6 + 5e6 + 1e6 + 2e6, "T_ideal");
	check_near(slowdown_total(s), 90.0 / 80, "S");
	check_near(part(s->groups, s->n_groups, OP_FORWARD), 90.0 / 80, "S of forward");
	check_near(part(s->groups, s->n_groups, OP_BACKWARD), 1, "S of backward");
	check_near(part(s->stages, s->n_stages, 0), 75.0 / 80, "S of stage 0");
	check_near(part(s->stages, s->n_stages, 1), 95.0 / 80, "S of stage 1");
	check_near(part(s->dp_ranks, s->n_dp_ranks, 0), 1, "S of the fast rank");
	check_near(part(s->dp_ranks, s->n_dp_ranks, 1), 90.0 / 80, "S of the slow rank");
	CHECK(s->n_slowest == 1 && s->workers[0].stage == 1 && s->workers[0].dp == 1,
		  "the slowest worker is stage %u of rank %u", s->workers[0].stage, s->workers[0].dp);
	check_near(s->workers[0].slowdown, 90.0 / 80, "S of the slowest worker");
	/* Without its 30 ms: 10 + 1 + 15 + 20 + 1 + 20 + 8. */
	check_near(slowdown_of_workers(s), (90.0 - 75) / (90 - 80), "M_W");
	check_near(slowdown_of_last_stage(s), (90.0 - 75) / (90 - 80), "M_S");
	clear(&m);
}

/* One stage, two ranks: gathered parameters (4 ms after the later rank began), a backward that is
 * 20 ms longer on rank 1, gradients scattered beside garbage collection, the rest reduced apart. */
static void overlapped_gradients(void)
{
	struct made m = {0};
	for (uint32_t dp = 0; dp < 2; dp++) {
		const int64_t done = dp ? 56 : 36;
		at(&m, 0, 0, dp);
		add(&m, OP_PARAMS_GATHER, dp ? 2 : 0, 6);
		add(&m, OP_FORWARD, 6, 16);
		add(&m, OP_BACKWARD, 16, done);
		add(&m, OP_GRADS_SCATTER, done, 59);
		add(&m, OP_GC, done, done + 1);
		add(&m, OP_SEPARATE_GRADS, 59, 61);
		add(&m, OP_CLIP, 61, 62);
		add(&m, OP_OPTIMIZER, 62, 64);
	}
	CHECK(find(&m) == 0, "refused: %s", m.trouble);
	check_near(m.slowdown.measured_ns, 64e6, "a measured step");
	check_near(m.slowdown.base_ns, (4 + 10 + 40 + 3 + 2 + 1 + 2) * 1e6, "T with overlap");
	check_near(m.slowdown.ideal_ns, (4 + 10 + 30 + 3 + 2 + 1 + 2) * 1e6, "T_ideal with overlap");
	CHECK(isnan(slowdown_of_last_stage(&m.slowdown)), "one stage has an M_S");
	clear(&m);
}

/* One microbatch through two stages with two chunks of layers each: all of it is one chain, so a
 * partner that is not found makes the step shorter. The receive of the very first forward is not
 * there, as profilers write it. The forward send and the backward receive at the last chunk meet
 * nobody and hold up nobody; so does the last backward send. */
static void add_chunks(struct made *m, int64_t step, int64_t last_forward)
{
	int64_t now = 0;
	for (int i = 0; i < 4; i++) {
		at(m, step, i % 2, 0);
		m->chunk = (uint8_t)(i / 2);
		const int64_t end = now + (i == 3 ? last_forward : 10);
		if (i > 0)
			add(m, OP_FORWARD_RECV, now - 1, now);
		add(m, OP_FORWARD, now, end);
		add(m, OP_FORWARD_SEND, end, end + 1);
		now = end + 1;
	}
	now -= 1;
	for (int i = 3; i >= 0; i--) {
		at(m, step, i % 2, 0);
		m->chunk = (uint8_t)(i / 2);
		add(m, OP_BACKWARD_RECV, now - 1, now);
		add(m, OP_BACKWARD, now, now + 20);
		add(m, OP_BACKWARD_SEND, now + 20, now + 21);
		now += 21;
	}
	for (uint16_t stage = 0; stage < 2; stage++) {
		at(m, step, stage, 0);
		m->chunk = 0;
		add(m, OP_CLIP, now - 1, now);
		add(m, OP_OPTIMIZER, now, now + 2);
	}
}

static void chunks_are_one_chain(void)
{
	struct made m = {0};
	add_chunks(&m, 1, 30);
	add_chunks(&m, 2, 70);
	CHECK(find(&m) == 0, "refused: %s", m.trouble);
	const struct slowdown *s = &m.slowdown;
	CHECK(s->n_steps == 2, "%u steps", s->n_steps);
	check_near((double)s->steps[0].base_ns, (30 + 30 + 3 + 80 + 3 + 1 + 2) * 1e6, "step 1");
	check_near((double)s->steps[1].base_ns, (30 + 70 + 3 + 80 + 3 + 1 + 2) * 1e6, "step 2");
	check_near(s->ideal_ns, (4 * 20 + 3 + 80 + 3 + 1 + 2) * 1e6, "T_ideal with chunks");
	clear(&m);
}

/* Three microbatches, slow forwards in stage 0. The first gradient is back early, but its receive is
 * posted only after the second forward before the first backward (at 200), and each later receive
 * after the backward before it (at 370 and 391). */
static void receives_are_posted_late(void)
{
	struct made m = {0};
	at(&m, 0, 0, 0);
	for (int i = 0; i < 3; i++) {
		add(&m, OP_FORWARD, 100 * i, 100 * i + 100);
		add(&m, OP_FORWARD_SEND, 100 * i + 100, 100 * i + 101);
	}
	add(&m, OP_BACKWARD_RECV, 200, 350);
	add(&m, OP_BACKWARD, 350, 370);
	add(&m, OP_BACKWARD_RECV, 370, 371);
	add(&m, OP_BACKWARD, 371, 391);
	add(&m, OP_BACKWARD_RECV, 391, 392);
	add(&m, OP_BACKWARD, 392, 412);
	add(&m, OP_OPTIMIZER, 412, 414);
	at(&m, 0, 1, 0);
	for (int i = 0; i < 3; i++) {
		add(&m, OP_FORWARD_RECV, i ? 100 * i + 11 : 0, 100 * i + 101);
		add(&m, OP_FORWARD, 100 * i + 101, 100 * i + 111);
		add(&m, OP_BACKWARD, 100 * i + 111, 100 * i + 131);
	}
	add(&m, OP_BACKWARD_SEND, 131, 350);
	add(&m, OP_BACKWARD_SEND, 350, 371);
	add(&m, OP_BACKWARD_SEND, 371, 392);
	add(&m, OP_OPTIMIZER, 331, 333);
	CHECK(find(&m) == 0, "refused: %s", m.trouble);
	check_near(m.slowdown.base_ns, (200 + 150 + 20 + 1 + 20 + 1 + 20 + 2) * 1e6, "T, posted late");
	clear(&m);
}

/* By the clocks of two machines a receive ends before its sender begins, at 10: a little is kept, so
 * that errors cancel out; more counts as nothing. */
static void clocks_of_two_machines(void)
{
	for (int i = 0; i < 2; i++) {
		const int64_t early = i ? 20 : 1;
		struct made m = {0};
		at(&m, 0, 0, 0);
		add(&m, OP_FORWARD, 0, 10);
		add(&m, OP_FORWARD_SEND, 10, 11);
		add(&m, OP_BACKWARD_RECV, 10, 40);
		add(&m, OP_BACKWARD, 40, 60);
		at(&m, 0, 1, 0);
		add(&m, OP_FORWARD_RECV, -30, 10 - early);
		add(&m, OP_FORWARD, 9, 19);
		add(&m, OP_BACKWARD, 19, 39);
		add(&m, OP_BACKWARD_SEND, 39, 40);
		CHECK(find(&m) == 0, "refused: %s", m.trouble);
		check_near(m.slowdown.base_ns, (10 - (i ? 0 : 1) + 10 + 20 + 1 + 20) * 1e6,
				   i ? "T after a wrong clock" : "T after an early receive");
		clear(&m);
	}
}

/* A step that lacks an operation says nothing about the others. */
static void odd_steps_are_left_out(void)
{
	struct made m = {0};
	for (int64_t step = 0; step < 4; step++) {
		at(&m, step, 0, 0);
		add(&m, OP_FORWARD, 0, 10);
		add(&m, OP_BACKWARD, 10, 30);
		if (step != 0)
			add(&m, OP_OPTIMIZER, 30, 40);
	}
	CHECK(find(&m) == 0, "refused: %s", m.trouble);
	CHECK(m.timeline.n_steps == 3 && m.timeline.steps_left_out == 1, "%u steps, %u left out",
		  m.timeline.n_steps, m.timeline.steps_left_out);
	CHECK(strcmp(m.timeline.odd, "step 0, dp_rank 0, stage 0 has fewer optimizer than usual") == 0,
		  "it says: %s", m.timeline.odd);
	check_near(m.slowdown.base_ns, 40e6, "T of the whole steps");
	clear(&m);
}

static void circles_are_refused(void)
{
	struct made m = {0};
	at(&m, 0, 0, 0); /* stage 0 goes backward first, but its gradient comes after its forward */
	add(&m, OP_BACKWARD_RECV, 0, 1);
	add(&m, OP_BACKWARD, 1, 2);
	add(&m, OP_FORWARD, 2, 3);
	add(&m, OP_FORWARD_SEND, 3, 4);
	at(&m, 0, 1, 0);
	add(&m, OP_FORWARD_RECV, 0, 4);
	add(&m, OP_FORWARD, 4, 5);
	add(&m, OP_BACKWARD, 5, 6);
	add(&m, OP_BACKWARD_SEND, 6, 7);
	CHECK(find(&m) != 0 && strstr(m.trouble, "in a circle"), "a circle is replayed: %s", m.trouble);
	clear(&m);
}

int main(void)
{
	pipeline_by_hand();
	overlapped_gradients();
	chunks_are_one_chain();
	receives_are_posted_late();
	clocks_of_two_machines();
	odd_steps_are_left_out();
	circles_are_refused();
	return finish();
}
