/* The jitter study: what a step measures, with the numbers of the study's own slides; the order of
 * launches; the parts that add up; how sure a late rank is. */
#include "jitter/significance.h"
#include "jitter/study.h"
#include "jitter/verdict.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAIN = 1, SIDE = 2, SHOWN = 4, RANKS = 5, KERNELS = 4, MANY = 1000000 };

/* ---- the study's numbers ---- */

/* The slides show four of the GPUs, and means over all. The fifth column stands for the others: it
 * is what makes the printed means. */
static const int64_t D[2][RANKS] = {{9176, 10575, 7866, 8234, 12204},
									{3451, 6456, 9765, 4401, 3737}};
static const int64_t G[2][RANKS] = {{12921, 11034, 14548, 9813, 9404},
									{80124, 94890, 100344, 91209, 120378}};
static const int64_t DD[2][SHOWN] = {{-435, 964, -1745, -1377}, {-2111, 894, 4203, -1161}};
static const int64_t T[2][SHOWN] = {{22097, 21609, 22414, 18047}, {105672, 122955, 132523, 113657}};
static const double mean_d[2] = {9611, 5562}, mean_g[2] = {11544, 97389};

static void add(struct step_ops *ops, int64_t ls, int64_t start, int64_t end, uint32_t slot)
{
	const struct jitter_op op = {.ls = ls,
								 .le = ls + 1,
								 .order = ls,
								 .start = start,
								 .end = end,
								 .slot = slot,
								 .nccl = slot == SIDE};
	CHECK(step_ops_add(ops, &op) == 0, "no memory");
}

/* A kernel of no length, then the two of the slides, then the collective that closes the step. */
static void measure_rank(struct jitter_study *s, uint32_t rank)
{
	struct step_ops ops = {0};
	struct kernel_times times[KERNELS];
	struct rank_step *at = jitter_rank_step(s, rank, 0);
	int64_t t = 1000 * rank;
	add(&ops, t - 900, t, t, MAIN);
	for (int k = 0; k < 2; k++) {
		t += G[k][rank];
		add(&ops, t - 500, t, t + D[k][rank], MAIN);
		t += D[k][rank];
	}
	add(&ops, t - 100, t, 1000 * rank + 300000, SIDE);
	measure_step(&ops, &(struct step_frame){MAIN, 3}, times, at);
	at->counted = true;
	CHECK(at->closed && at->reach == 300000, "the closing collective of rank %u", rank);
	CHECK(at->to_end == G[0][rank] + D[0][rank] + G[1][rank] + D[1][rank], "to the end of rank %u",
		  rank);
	for (uint32_t k = 0; k < KERNELS; k++) {
		struct kernel_cell *cell = &s->ranks[rank].cells[k];
		*cell = (struct kernel_cell){.n = 1, .n_launch = 1};
		cell->sum[MEASURE_DURATION] = times[k].duration;
		cell->sum[MEASURE_GAP] = times[k].gap;
		cell->sum[MEASURE_TO_END] = times[k].to_end;
		cell->sum[MEASURE_LAUNCH] = times[k].launch;
	}
	s->ranks[rank].steps = 1;
	free(ops.at);
}

/* The gap before the first kernel: what the rank that began first has more of. */
static void gaps_before(struct jitter_study *s)
{
	const struct run_study visits = jitter_study_of(s);
	for (uint32_t r = 0; r < RANKS; r++)
		jitter_rank_step(s, r, 0)->reach = 300000 - 1000 * r;
	CHECK(visits.end(s, NULL, NULL) == 0 && s->closed, "no memory");
	for (uint32_t r = 0; r < RANKS; r++) {
		CHECK(s->gap_before_ns[r] == 1000 * r && s->ranks[r].gap_before_ns == 1000 * r,
			  "the gap before the step of rank %u", r);
		CHECK(jitter_mean(s, MEASURE_GAP, 0, r) == 1000 * r, "G of the first kernel");
		free(s->ranks[r].label);
	}
	/* Keeps out: the gap of a step that one rank ends with another collective. */
	s->closed = false;
	jitter_rank_step(s, 2, 0)->closed = false;
	memset(s->gap_before_ns, 0, RANKS * sizeof(*s->gap_before_ns));
	CHECK(visits.end(s, NULL, NULL) == 0 && !s->closed && s->unclosed == 1, "a step that is open");
	CHECK(s->gap_before_ns[4] == 0, "a gap before a step that is open");
	for (uint32_t r = 0; r < RANKS; r++)
		free(s->ranks[r].label);
}

static void slides(void)
{
	struct kernel_cell cells[RANKS][KERNELS];
	struct jitter_rank ranks[RANKS] = {0};
	struct rank_step at[RANKS];
	int64_t before[RANKS] = {0};
	uint32_t lane[] = {0, 1, 2};
	struct jitter_position positions[KERNELS] = {{.class = STREAM_MAIN},
												 {.class = STREAM_MAIN},
												 {.class = STREAM_MAIN},
												 {.class = STREAM_NCCL}};
	struct jitter_study s = {
		.axis = {.n = 1},
		.reference = {.at = positions, .n = KERNELS, .lane = {lane}, .n_lane = {3}},
		.ranks = ranks,
		.n_ranks = RANKS,
		.at = at,
		.gap_before_ns = before};
	for (uint32_t r = 0; r < RANKS; r++) {
		ranks[r].cells = cells[r];
		ranks[r].rank = (int32_t)r;
		measure_rank(&s, r);
	}
	for (uint32_t k = 0; k < 2; k++) {
		CHECK(jitter_mean_of_ranks(&s, MEASURE_DURATION, k + 1) == mean_d[k], "mean of D%u", k);
		CHECK(jitter_mean_of_ranks(&s, MEASURE_GAP, k + 1) == mean_g[k], "mean of G%u", k);
		for (uint32_t r = 0; r < SHOWN; r++) {
			const double d = jitter_mean(&s, MEASURE_DURATION, k + 1, r);
			CHECK(d == (double)D[k][r] && d - mean_d[k] == (double)DD[k][r], "D%u of GPU %u", k, r);
			CHECK(jitter_mean(&s, MEASURE_GAP, k + 1, r) == (double)G[k][r], "G%u of GPU %u", k, r);
			CHECK(jitter_mean(&s, MEASURE_TO_END, k + 1, r) == (double)T[k][r], "T%u of GPU %u", k,
				  r);
			CHECK(jitter_mean(&s, MEASURE_LAUNCH, k + 1, r) == 500, "L%u of GPU %u", k, r);
			CHECK(jitter_mean(&s, MEASURE_GAP, 3, r) == 0, "a gap before NCCL");
		}
	}
	gaps_before(&s);
}

/* ---- one step ---- */

/* Keeps out: ops that start in another order than they were launched, put at each other's place. */
static void order(void)
{
	struct step_ops ops = {0};
	add(&ops, 30, 100, 110, MAIN);
	add(&ops, 10, 120, 130, SIDE);
	add(&ops, 20, 140, 150, MAIN);
	add(&ops, 20, 145, 155, MAIN);
	step_ops_sort(&ops);
	CHECK(ops.n == 4 && ops.at[0].ls == 10 && ops.at[1].start == 140 && ops.at[2].start == 145 &&
			  ops.at[3].ls == 30,
		  "the order of launches");
	free(ops.at);
}

/* Keeps out: a file whose launches come in reverse, for which an insertion sort takes hours. */
static void reverse(void)
{
	struct step_ops ops = {0};
	alarm(60);
	for (int64_t i = MANY; i > 0; i--)
		add(&ops, i, MANY - i, MANY - i + 1, MAIN);
	step_ops_sort(&ops);
	alarm(0);
	CHECK(ops.n == MANY && ops.at[0].ls == 1 && ops.at[MANY - 1].ls == MANY, "reverse launches");
	free(ops.at);
}

/* A kernel launched after the stream ran dry, one that was queued, and two after the collective. */
static void parts(void)
{
	struct step_ops ops = {0};
	struct kernel_times times[8];
	struct rank_step at;
	add(&ops, 0, 100, 200, MAIN);
	add(&ops, 260, 300, 400, MAIN); /* 60 until its launch, 40 from there */
	add(&ops, 270, 410, 500, MAIN); /* queued: 10 */
	add(&ops, 280, 420, 900, SIDE);
	add(&ops, 290, 915, 1000, MAIN); /* 15 after the collective */
	add(&ops, 1030, 1040, 1100, MAIN);
	measure_step(&ops, &(struct step_frame){MAIN, 3}, times, &at);
	CHECK(at.part[JITTER_DURATION] == 290 && at.part[JITTER_GAP_INSIDE] == 60 &&
			  at.part[JITTER_LAUNCH] == 50 && at.part[JITTER_GAP_BEFORE] == 0,
		  "parts before the collective");
	CHECK(at.to_end == 400 && at.reach == 800, "to the end %lld", (long long)at.to_end);
	CHECK(at.tail[JITTER_DURATION] == 145 && at.tail[JITTER_LAUNCH] == 25 &&
			  at.tail[JITTER_GAP_INSIDE] == 30,
		  "parts after it");
	CHECK(times[4].gap == 415 && times[4].to_end == 900, "the gap that the study has there");
	measure_step(&ops, &(struct step_frame){MAIN, ops.n}, times, &at);
	CHECK(!at.closed && at.to_end == 1000, "without a collective");
	/* Keeps out: causes that do not add up where a collective comes before all work. */
	struct step_ops early = {0};
	add(&early, 0, 10, 90, SIDE);
	add(&early, 20, 100, 200, MAIN);
	add(&early, 240, 250, 300, MAIN);
	measure_step(&early, &(struct step_frame){MAIN, 0}, times, &at);
	CHECK(!at.closed && at.to_end == 200 && at.part[JITTER_DURATION] == 150 &&
			  at.part[JITTER_GAP_INSIDE] == 40 && at.part[JITTER_LAUNCH] == 10 &&
			  at.tail[JITTER_DURATION] == 0,
		  "a collective before the first kernel: %lld", (long long)at.part[JITTER_DURATION]);
	free(early.at);
	uint64_t counts[3];
	CHECK(measure_main_slot(&ops, counts, 2) == MAIN, "the main stream");
	free(ops.at);
}

/* Keeps out: a launch after the start of its kernel that makes a gap longer than it is; kernels
 * that overlap; sums of a file's times that overflow. */
static void odd_times(void)
{
	struct step_ops ops = {0};
	struct kernel_times times[3];
	struct rank_step at;
	add(&ops, 0, 100, 200, MAIN);
	add(&ops, 350, 300, 400, MAIN); /* launched 50 after its start: the whole gap is the host's */
	add(&ops, 360, 390, 500, MAIN); /* begins 10 before the end of the one before */
	measure_step(&ops, &(struct step_frame){MAIN, ops.n}, times, &at);
	CHECK(at.part[JITTER_GAP_INSIDE] == 100 && at.part[JITTER_LAUNCH] == -10 && at.to_end == 400 &&
			  at.part[JITTER_DURATION] == 310,
		  "gaps of %lld and %lld", (long long)at.part[JITTER_GAP_INSIDE],
		  (long long)at.part[JITTER_LAUNCH]);
	ops.n = 0;
	for (int i = 0; i < 3; i++)
		add(&ops, INT64_MIN + 1 + i, 0, INT64_MAX - 1, MAIN);
	measure_step(&ops, &(struct step_frame){MAIN, ops.n}, times, &at);
	CHECK(at.part[JITTER_DURATION] == INT64_MAX && times[0].launch == INT64_MAX,
		  "times that overflow");
	free(ops.at);
}

/* ---- how sure ---- */

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 + 1e-6 * fabs(b);
}

static void significance(void)
{
	double p[] = {0.01, 0.04, 0.03}, places[4];
	const double values[] = {5, 1, 5, 2};
	uint32_t scratch[4];
	CHECK(near(normal_tail(0), 0.5) && near(normal_tail(1.959963985), 0.025), "the normal tail");
	CHECK(near(binomial_tail(10, 0.5, 8), 56.0 / 1024) &&
			  near(binomial_tail(3, 0.25, 3), 1.0 / 64) && binomial_tail(5, 0.5, 0) == 1,
		  "the binomial tail");
	CHECK(holm_correct(p, 3) == 0 && near(p[0], 0.03) && near(p[1], 0.06) && near(p[2], 0.06),
		  "Holm: %g %g %g", p[0], p[1], p[2]);
	rank_places(values, 4, scratch, places);
	CHECK(places[0] == 3.5 && places[1] == 1 && places[2] == 3.5 && places[3] == 2, "equal values");
}

/* ---- late ranks ---- */

enum { STEPS = 40, CROWD = 32, STEP_NS = 1000000, LATE_NS = 100000 };

/* All ranks have the same steps of two kernels. */
static void open_study(struct jitter_study *s, uint32_t n_ranks, uint32_t n_steps)
{
	static struct jitter_position positions[2];
	static uint32_t lane[] = {0, 1};
	*s = (struct jitter_study){.step_ns = STEP_NS, .closing = NO_POSITION, .n_ranks = n_ranks};
	s->axis.n = n_steps;
	s->axis.number = calloc(n_steps, sizeof(*s->axis.number));
	s->reference = (struct reference){.at = positions, .n = 2, .lane = {lane}, .n_lane = {2}};
	CHECK(strings_init(&s->reference.names) == 0 &&
			  strings_add(&s->reference.names, "k", 1, &positions[0].name, NULL) == 0,
		  "no memory");
	positions[1].name = positions[0].name;
	s->ranks = calloc(n_ranks, sizeof(*s->ranks));
	s->at = calloc((size_t)n_ranks * n_steps, sizeof(*s->at));
	s->gap_before_ns = calloc((size_t)n_ranks * n_steps, sizeof(*s->gap_before_ns));
	for (uint32_t i = 0; i < n_ranks * n_steps; i++)
		s->at[i] = (struct rank_step){
			.counted = true, .to_end = STEP_NS, .part = {[JITTER_DURATION] = STEP_NS}};
	for (uint32_t i = 0; i < n_steps; i++)
		s->axis.number[i] = i;
	for (uint32_t r = 0; r < n_ranks; r++) {
		s->ranks[r] = (struct jitter_rank){.rank = (int32_t)r, .host = "host", .steps = n_steps};
		s->ranks[r].cells = calloc(2, sizeof(struct kernel_cell));
		for (int k = 0; k < 2; k++)
			s->ranks[r].cells[k].n = n_steps;
	}
}

/* The rank is late in this step, by a gap before its second kernel. */
static void delay(struct jitter_study *s, uint32_t rank, uint32_t step, int64_t ns)
{
	struct rank_step *at = jitter_rank_step(s, rank, step);
	at->to_end += ns;
	at->part[JITTER_GAP_INSIDE] += ns;
	s->ranks[rank].cells[1].sum[MEASURE_GAP] += ns;
}

static void close_study(struct jitter_study *s)
{
	for (uint32_t r = 0; r < s->n_ranks; r++)
		free(s->ranks[r].cells);
	strings_free(&s->reference.names);
	free(s->axis.number);
	free(s->ranks);
	free(s->at);
	free(s->gap_before_ns);
}

/* Keeps out: one of two ranks that is named because there are more ranks in other steps. */
static void few_ranks(void)
{
	struct jitter_study s;
	struct jitter_verdict v;
	open_study(&s, 8, 20);
	for (uint32_t step = 0; step < 20; step++) {
		delay(&s, 1, step, step < 14 ? LATE_NS : -LATE_NS);
		for (uint32_t r = 2; r < 8; r++)
			jitter_rank_step(&s, r, step)->counted = false;
	}
	CHECK(jitter_verdict_make(&v, &s) == 0, "no memory");
	CHECK(v.n_odd == 0 && v.ranks[1].last == 14 && v.ranks[1].p_last > 0.01, "%zu odd ranks, p %g",
		  v.n_odd, v.ranks[1].p_last);
	jitter_verdict_free(&v);
	close_study(&s);
}

/* Keeps out: "no rank is late" where no rank could have been named. */
static void few_steps(void)
{
	static const uint32_t least[][2] = {{2, 9}, {4, 6}, {8, 4}, {64, 3}}; /* docs/JITTER.md */
	for (size_t i = 0; i < sizeof(least) / sizeof(least[0]); i++) {
		const uint32_t ranks = least[i][0], enough = least[i][1];
		for (uint32_t steps = enough - 1; steps <= enough; steps++) {
			struct jitter_study s;
			struct jitter_verdict v;
			open_study(&s, ranks, steps);
			for (uint32_t step = 0; step < steps; step++)
				delay(&s, 1, step, LATE_NS);
			CHECK(jitter_verdict_make(&v, &s) == 0, "no memory");
			CHECK(v.n_odd == (steps == enough) && v.steps_needed == (steps < enough ? enough : 0),
				  "%u ranks, %u steps: %zu odd ranks, %u needed", ranks, steps, v.n_odd,
				  v.steps_needed);
			jitter_verdict_free(&v);
			close_study(&s);
		}
	}
}

/* Keeps out: a kernel that has all of the cause, which means of other steps hide. */
static void late_in_some(void)
{
	struct jitter_study s;
	struct jitter_verdict v;
	open_study(&s, CROWD, STEPS);
	for (uint32_t step = 0; step < STEPS; step += 5)
		delay(&s, 3, step, LATE_NS);
	CHECK(jitter_verdict_make(&v, &s) == 0, "no memory");
	CHECK(v.n_odd == 1 && v.odd[0].rank == 3 && v.odd[0].some_steps && v.bar == BAR_NONE,
		  "%zu odd ranks", v.n_odd);
	if (v.n_odd) {
		CHECK(v.odd[0].cause == JITTER_GAP_INSIDE && v.odd[0].place == PLACE_KERNEL &&
				  v.odd[0].position == 1,
			  "the kernel");
		CHECK(near(v.odd[0].behind_ns, LATE_NS) && near(v.odd[0].there_ns, LATE_NS / 5) &&
				  near(v.odd[0].cause_ns, LATE_NS / 5),
			  "%g ns behind, %g of %g there", v.odd[0].behind_ns, v.odd[0].there_ns,
			  v.odd[0].cause_ns);
	}
	jitter_verdict_free(&v);
	close_study(&s);
}

/* Keeps out: causes of some hundred percent, and a verdict on ranks that cannot be compared. */
static void not_compared(void)
{
	struct jitter_study s;
	struct jitter_verdict v;
	open_study(&s, 4, 10);
	for (uint32_t i = 0; i < 40; i++) { /* what a rank's kernels take longer, it waits less */
		s.at[i].part[JITTER_DURATION] += 1000 * (i % 7);
		s.at[i].part[JITTER_LAUNCH] -= 1000 * (i % 7);
		s.at[i].to_end += i % 3;
	}
	CHECK(jitter_verdict_make(&v, &s) == 0, "no memory");
	CHECK(v.bar == BAR_WAIT_INSIDE && v.cancel && isnan(v.cause_share[JITTER_DURATION]),
		  "causes that cancel each other");
	jitter_verdict_free(&v);
	for (uint32_t i = 0; i < 10; i++)
		delay(&s, 2, i, LATE_NS);
	CHECK(jitter_verdict_make(&v, &s) == 0 && v.bar == BAR_NONE && v.n_odd == 1, "a late rank");
	jitter_verdict_free(&v);
	s.ranks[1].missing = s.ranks[2].missing = 2;
	CHECK(jitter_verdict_make(&v, &s) == 0 && v.bar == BAR_OTHER_KERNELS && v.n_odd == 0, "stages");
	jitter_verdict_free(&v);
	s.ranks[3].left_out = 41;
	CHECK(jitter_verdict_make(&v, &s) == 0 && v.bar == BAR_LEFT_OUT && v.n_odd == 0, "left out");
	jitter_verdict_free(&v);
	close_study(&s);
}

int main(void)
{
	slides();
	order();
	reverse();
	parts();
	odd_times();
	significance();
	few_ranks();
	few_steps();
	late_in_some();
	not_compared();
	return finish();
}
