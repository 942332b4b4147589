/* Two ranks that meet in a collective each step: what curing one of them wins, and who is chosen. */
#include "check.h"
#include "graph/culprit.h"
#include "graph/joins.h"

#include <baton/format.h>
#include <stdlib.h>

enum { STEPS = 5, RANKS = 4 };

struct rank { /* what it does in each step before the collective */
	int64_t host_ns, slept_ns, kernel_ns;
};

static uint32_t node(struct model *m, int64_t ns)
{
	uint32_t first = 0;
	CHECK(graph_add_nodes(&m->graph, &ns, 1, &first) == 0, "no node");
	return first;
}

static uint32_t edge(struct model *m, uint32_t from, uint32_t to, uint16_t unit,
					 enum edge_kind kind)
{
	const int64_t *at = m->graph.measured_ns;
	const struct edge e = {from, to, at[to] - at[from], unit, (uint8_t)kind};
	uint32_t number = 0;
	CHECK(graph_add_edge(&m->graph, &e, &number) == 0, "no edge");
	return number;
}

/* A thread runs, launches a kernel and waits for the collective after it. Returns the begin of its
 * part of the collective. */
static uint32_t run_rank(struct model *m, uint16_t unit, const struct rank *r, uint32_t *thread)
{
	const int64_t begin_ns = m->graph.measured_ns[*thread];
	const int64_t launch_ns = begin_ns + r->host_ns + r->slept_ns;
	const uint32_t launch = node(m, launch_ns), end = node(m, launch_ns + r->kernel_ns);
	const uint32_t runs = edge(m, *thread, launch, unit, EDGE_OUTSIDE);
	const uint32_t op = edge(m, launch, end, unit, EDGE_OP);
	if (r->slept_ns)
		*MODEL_ADD(m, amounts) = (struct amount){r->slept_ns, runs, LABEL_BLOCKED};
	*MODEL_ADD(m, host) = (struct position){.key = 1, .edge = runs, .unit = unit};
	*MODEL_ADD(m, kernels) =
		(struct position){.key = 2, .ns = r->kernel_ns, .edge = op, .unit = unit, .class = 1};
	return end;
}

static void run_step(struct model *m, const struct rank *ranks, uint32_t *threads, int32_t step)
{
	int64_t latest_ns = 0;
	uint32_t begins[RANKS];
	for (uint16_t u = 0; u < RANKS; u++) {
		begins[u] = run_rank(m, u, &ranks[u], &threads[u]);
		const int64_t ns = m->graph.measured_ns[begins[u]];
		latest_ns = ns > latest_ns ? ns : latest_ns;
	}
	for (uint16_t u = 0; u < RANKS; u++) {
		const uint32_t end = node(m, latest_ns + 100);
		*MODEL_ADD(m, members) = (struct member){.comm = 7,
												 .sequence = (uint64_t)step,
												 .coll = BATON_COLL_ALLREDUCE,
												 .step = -1,
												 .begin_ns = m->graph.measured_ns[begins[u]],
												 .end_ns = latest_ns + 100,
												 .size = RANKS,
												 .begin = begins[u],
												 .end = end,
												 .op = edge(m, begins[u], end, u, EDGE_OP),
												 .rank = u,
												 .unit = u};
		*MODEL_ADD(m, ends) = (struct end){end, step, u};
		threads[u] = end;
	}
}

static void make(struct model *m, const struct rank *ranks)
{
	uint32_t threads[RANKS];
	*m = (struct model){.n_steps = STEPS};
	for (uint16_t u = 0; u < RANKS; u++) {
		*MODEL_ADD(m, units) = (struct unit){.rank = u};
		threads[u] = node(m, 1000);
	}
	for (int32_t step = 0; step < STEPS; step++)
		run_step(m, ranks, threads, step);
	CHECK(joins_link(m) == 0 && model_seal(m) == 0, "not built");
	CHECK(m->graph.backward == 0 && m->graph.circular == 0 && m->graph.repaired_ns == 0,
		  "the graph is sound");
}

static int64_t gain(struct causes *c, enum cause cause, uint32_t unit)
{
	const struct scope scope = {unit, ALL_UNITS, 0};
	int64_t step_ns = 0;
	for (size_t i = 0; i < causes_weights(c); i++)
		c->weights_ns[i] = c->measured_ns[i];
	cause_take(c, cause, &scope, c->weights_ns);
	CHECK(causes_step(c, c->weights_ns, &step_ns) == 0, "no step");
	return c->step_ns - step_ns;
}

/* Rank 2's kernels take 5,000 longer, so the others wait: curing rank 2 wins that, as far as the
 * next rank; shorter transfers win only the transfer. */
static void test_slow_rank(void)
{
	const struct rank ranks[RANKS] = {
		{1000, 0, 20000}, {1000, 0, 20100}, {1000, 0, 25000}, {1000, 0, 20000}};
	struct model model;
	struct causes causes;
	struct culprits culprits;
	make(&model, ranks);
	CHECK(causes_open(&causes, &model) == 0, "no causes");
	CHECK(causes.step_ns == 26100, "step %lld", (long long)causes.step_ns);
	CHECK(gain(&causes, CAUSE_KERNELS, 2) == 4900, "%lld",
		  (long long)gain(&causes, CAUSE_KERNELS, 2));
	CHECK(gain(&causes, CAUSE_KERNELS, 1) == 0, "it holds nobody up");
	CHECK(gain(&causes, CAUSE_HOST, 2) == 0, "its host is like the others'");
	CHECK(gain(&causes, CAUSE_TRANSFER, ALL_UNITS) == 100, "the wait is no transfer");
	CHECK(culprits_find(&causes, &culprits) == 0 && culprits.n == 1, "%u culprits", culprits.n);
	CHECK(culprits.at[0].cause == CAUSE_KERNELS && culprits.at[0].scope.unit == 2, "rank 2");
	CHECK(culprits.at[0].gain.ns == 4900, "%lld", (long long)culprits.at[0].gain.ns);
	CHECK(culprits.at[0].gain.low_ns == 4796 && culprits.at[0].gain.high_ns == 5004,
		  "the others win nothing, so 0.4 %% of the step: %lld, %lld",
		  (long long)culprits.at[0].gain.low_ns, (long long)culprits.at[0].gain.high_ns);
	CHECK(culprits.unexplained_ns == 0, "all is explained");
	causes_close(&causes);
	model_free(&model);
}

/* Two ranks lose time: the second one's part is what is left when the first is cured. */
static void test_two(void)
{
	const struct rank ranks[RANKS] = {
		{1000, 9000, 20000}, {1000, 0, 20000}, {1000, 0, 24000}, {1000, 0, 20000}};
	struct model model;
	struct causes causes;
	struct culprits culprits;
	make(&model, ranks);
	CHECK(causes_open(&causes, &model) == 0, "no causes");
	CHECK(gain(&causes, CAUSE_BLOCKED, 0) == 5000, "as far as rank 2");
	CHECK(gain(&causes, CAUSE_KERNELS, 2) == 0, "rank 0 is later");
	CHECK(culprits_find(&causes, &culprits) == 0 && culprits.n == 2, "%u culprits", culprits.n);
	CHECK(culprits.at[1].cause == CAUSE_KERNELS && culprits.at[1].scope.unit == 2 &&
			  culprits.at[1].gain.ns == 4000,
		  "rank 2 was hidden by rank 0");
	CHECK(culprits.at[0].cause == CAUSE_BLOCKED && culprits.at[0].scope.unit == 0,
		  "the rank that sleeps, not all: it changes as little and says more");
	causes_close(&causes);
	model_free(&model);
}

/* Keeps out: two ranks that hide each other, of which neither is named, or each with next to nothing:
 * equally late, and one a little later than the other. */
static void test_together(void)
{
	static const struct {
		int64_t slept_ns, gain_ns, alone_ns;
	} runs[] = {{5000, 5000, 0}, {5200, 5200, 200}};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		const struct rank ranks[RANKS] = {
			{1000, 0, 20000}, {1000, 0, 25000}, {1000, 0, 20000}, {1000, runs[i].slept_ns, 20000}};
		struct model model;
		struct causes causes;
		struct culprits culprits;
		make(&model, ranks);
		CHECK(causes_open(&causes, &model) == 0, "no causes");
		CHECK(culprits_find(&causes, &culprits) == 0 && culprits.n == 1, "%u", culprits.n);
		const struct culprit *x = &culprits.at[0];
		const bool sleeps = x->cause == CAUSE_BLOCKED;
		CHECK(x->joint.known && x->gain.ns == runs[i].gain_ns, "%lld", (long long)x->gain.ns);
		CHECK(x->scope.unit == (sleeps ? 3 : 1) && x->joint.scope.unit == (sleeps ? 1 : 3) &&
				  x->joint.cause == (sleeps ? CAUSE_KERNELS : CAUSE_BLOCKED),
			  "rank 1 is slow and rank 3 sleeps");
		CHECK((sleeps ? x->joint.first_alone_ns : x->joint.alone_ns) == runs[i].alone_ns &&
				  (sleeps ? x->joint.alone_ns : x->joint.first_alone_ns) == 0,
			  "alone %lld and %lld", (long long)x->joint.first_alone_ns,
			  (long long)x->joint.alone_ns);
		causes_close(&causes);
		model_free(&model);
	}
}

/* Keeps out: a rank that sleeps most told as sleep of all ranks, because the others sleep a little. */
static void test_most_on_one(void)
{
	const struct rank ranks[RANKS] = {
		{1000, 2000, 20000}, {1000, 9000, 20000}, {1000, 2000, 20000}, {1000, 2000, 20000}};
	const struct rank all[RANKS] = {
		{1000, 5000, 20000}, {1000, 5000, 20000}, {1000, 5000, 20000}, {1000, 5000, 20000}};
	struct model model;
	struct causes causes;
	struct culprits culprits;
	make(&model, ranks);
	CHECK(causes_open(&causes, &model) == 0, "no causes");
	CHECK(gain(&causes, CAUSE_BLOCKED, ALL_UNITS) == 9000, "everywhere");
	CHECK(culprits_find(&causes, &culprits) == 0 && culprits.n == 2, "%u culprits", culprits.n);
	CHECK(culprits.at[0].scope.unit == 1 && culprits.at[0].gain.ns == 7000, "first rank 1");
	CHECK(culprits.at[1].scope.unit == ALL_UNITS && culprits.at[1].gain.ns == 2000, "then all");
	causes_close(&causes);
	model_free(&model);
	make(&model, all);
	CHECK(causes_open(&causes, &model) == 0, "no causes");
	CHECK(culprits_find(&causes, &culprits) == 0 && culprits.n == 1, "%u culprits", culprits.n);
	CHECK(culprits.at[0].scope.unit == ALL_UNITS && culprits.at[0].gain.ns == 5000, "all alike");
	causes_close(&causes);
	model_free(&model);
}

/* Keeps out: a sleep that all ranks have alike told as that of the rank which something else makes
 * late, because most of it is won there. */
static void test_all_alike_one_late(void)
{
	const struct rank ranks[RANKS] = {
		{1000, 5000, 20000}, {1000, 5000, 20000}, {1000, 5000, 24000}, {1000, 5000, 20000}};
	struct model model;
	struct causes causes;
	struct culprits culprits;
	make(&model, ranks);
	CHECK(causes_open(&causes, &model) == 0, "no causes");
	CHECK(gain(&causes, CAUSE_BLOCKED, 2) == 4000, "most of what all win");
	CHECK(culprits_find(&causes, &culprits) == 0 && culprits.n == 2, "%u culprits", culprits.n);
	CHECK(culprits.at[0].cause == CAUSE_BLOCKED && culprits.at[0].scope.unit == ALL_UNITS &&
			  culprits.at[0].gain.ns == 5000,
		  "all ranks sleep");
	CHECK(culprits.at[1].cause == CAUSE_KERNELS && culprits.at[1].scope.unit == 2, "one is slow");
	causes_close(&causes);
	model_free(&model);
}

/* Keeps out: a rank's sleep that is taken off twice, the second time from what it works. */
static void test_taken_once(void)
{
	const struct rank ranks[RANKS] = {
		{1000, 2000, 20000}, {4000, 9000, 20000}, {1000, 2000, 20000}, {1000, 2000, 20000}};
	struct model model;
	struct causes causes;
	struct culprits culprits;
	make(&model, ranks);
	CHECK(causes_open(&causes, &model) == 0, "no causes");
	CHECK(culprits_find(&causes, &culprits) == 0 && culprits.n > 0, "%u culprits", culprits.n);
	CHECK(culprits.at[0].scope.unit == 1, "rank 1");
	int64_t sum_ns = 0;
	for (uint32_t i = 0; i < culprits.n; i++)
		sum_ns += culprits.at[i].gain.ns;
	CHECK(sum_ns <= 12000, "%lld of 13000 ns before the kernel; 1000 work on every rank",
		  (long long)sum_ns);
	for (uint32_t i = 1; i < culprits.n; i++)
		CHECK(culprits.at[i].cause != CAUSE_BLOCKED || culprits.at[i].gain.ns <= 2000,
			  "nobody else sleeps longer than 2000: %lld", (long long)culprits.at[i].gain.ns);
	causes_close(&causes);
	model_free(&model);
}

/* All are equally slow: nobody is a culprit. */
static void test_equal(void)
{
	const struct rank ranks[RANKS] = {
		{1000, 0, 25000}, {1000, 0, 25000}, {1000, 0, 25000}, {1000, 0, 25000}};
	struct model model;
	struct causes causes;
	struct culprits culprits;
	make(&model, ranks);
	CHECK(causes_open(&causes, &model) == 0, "no causes");
	CHECK(culprits_find(&causes, &culprits) == 0 && culprits.n == 0, "%u culprits", culprits.n);
	causes_close(&causes);
	model_free(&model);
}

static void test_compare(void)
{
	struct position positions[6] = {{9, 10, 5, 0, 0, false, 0}, {9, 30, 6, 0, 0, false, 0},
									{9, 12, 7, 1, 0, false, 0}, {9, 34, 8, 1, 0, false, 0},
									{9, 20, 9, 2, 0, false, 0}, {8, 5, 10, 2, 0, false, 0}};
	struct unit units[3] = {{0}, {0}, {0}};
	struct compared *rows;
	CHECK(compare_positions(positions, 6, units, &rows) == 0, "no memory");
	for (int i = 0; i < 6; i++) {
		const struct compared *row = &rows[i];
		const int64_t others = row->edge == 5   ? 16 /* 12 and 20 */
							   : row->edge == 6 ? 34 /* the second one of the others */
							   : row->edge == 7 ? 15
							   : row->edge == 8 ? 30
							   : row->edge == 9 ? 11
												: -1;
		CHECK(row->others_ns == others, "edge %u: %lld", row->edge, (long long)row->others_ns);
	}
	free(rows);
}

/* A divided one keeps its place, so that what follows is compared with its like; itself it differs
 * from nobody. */
static void test_compare_divided(void)
{
	struct position positions[4] = {{9, 10, 5, 0, 0, false, 0},
									{9, 30, 6, 0, 0, false, 0},
									{9, 4, 7, 1, 0, true, 0},
									{9, 34, 8, 1, 0, false, 0}};
	struct unit units[2] = {{0}, {0}};
	struct compared *rows;
	CHECK(compare_positions(positions, 4, units, &rows) == 0, "no memory");
	for (int i = 0; i < 4; i++) {
		const struct compared *row = &rows[i];
		const int64_t others = row->edge == 5   ? -1
							   : row->edge == 6 ? 34
							   : row->edge == 7 ? 4
							   : row->edge == 8 ? 30
												: -2;
		CHECK(row->others_ns == others, "edge %u: %lld", row->edge, (long long)row->others_ns);
		CHECK((row->unit == UNIT_NONE) == (row->edge == 7), "edge %u: unit", row->edge);
	}
	free(rows);
}

/* Two stages of two units each: the others are of one's own stage; one that is alone has all. */
static void test_compare_stages(void)
{
	struct position positions[5] = {{9, 10, 5, 0, 0, false, 0},
									{9, 11, 6, 1, 0, false, 0},
									{9, 50, 7, 2, 0, false, 0},
									{9, 55, 8, 3, 0, false, 0},
									{9, 30, 9, 4, 0, false, 0}};
	struct unit units[5] = {
		{.sequence = 1}, {.sequence = 1}, {.sequence = 2}, {.sequence = 2}, {.sequence = 3}};
	static const int64_t others[] = {11, 10, 55, 50, 30}, means[] = {10, 10, 52, 52, 31};
	struct compared *rows;
	CHECK(compare_positions(positions, 5, units, &rows) == 0, "no memory");
	for (int i = 0; i < 5; i++) {
		const struct compared *row = &rows[i];
		CHECK(row->alike == (row->unit < 4), "unit %u: alike", row->unit);
		CHECK(row->others_ns == others[row->unit] && row->mean_ns == means[row->unit],
			  "unit %u: %lld, mean %lld", row->unit, (long long)row->others_ns,
			  (long long)row->mean_ns);
	}
	free(rows);
}

/* Two stages of two ranks, of which one is slow: evening out levels the ranks of a stage, and not
 * the stages. */
static void test_even_stages(void)
{
	static const struct {
		uint64_t stages[RANKS];
		int64_t gain_ns;
	} runs[] = {{{1, 1, 2, 2}, 2000}, {{1, 2, 3, 4}, 0}};
	const struct rank ranks[RANKS] = {
		{1000, 0, 10000}, {1000, 0, 10000}, {1000, 0, 30000}, {1000, 0, 26000}};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct model model;
		struct causes causes;
		make(&model, ranks);
		for (int u = 0; u < RANKS; u++)
			model.units[u].sequence = runs[i].stages[u];
		model.meetings = 1;
		CHECK(causes_open(&causes, &model) == 0, "no causes");
		const int64_t ns = gain(&causes, CAUSE_EVEN_KERNELS, ALL_UNITS);
		CHECK(ns == runs[i].gain_ns, "evening out wins %lld", (long long)ns);
		causes_close(&causes);
		model_free(&model);
	}
}

/* ---- over the steps ---- */

enum { LONG_STEPS = 6, STRETCHES = 40, USUALLY_NS = 1000 };

/* One thread whose step is a row of stretches; each is over when an op begins. */
static void make_thread(struct model *m, int64_t (*ns)(int step, int stretch))
{
	*m = (struct model){.n_steps = LONG_STEPS};
	*MODEL_ADD(m, units) = (struct unit){.rank = 0};
	uint32_t from = node(m, 0);
	for (int step = 0; step < LONG_STEPS; step++) {
		for (int i = 0; i < STRETCHES; i++) {
			const uint32_t to = node(m, m->graph.measured_ns[from] + ns(step, i));
			const uint64_t place = hash_mix(1, (uint64_t)i / 2); /* the same call twice */
			*MODEL_ADD(m, host) = (struct position){.key = hash_mix(place, (uint64_t)step),
													.place = place,
													.edge = edge(m, from, to, 0, EDGE_OUTSIDE)};
			from = to;
		}
		*MODEL_ADD(m, ends) = (struct end){from, step, 0};
	}
	CHECK(model_seal(m) == 0, "not built");
}

/* A third takes longer, in every step elsewhere. */
static int64_t uneven(int step, int stretch)
{
	return USUALLY_NS + ((step + stretch) % 3 ? 0 : 3000);
}

static int64_t stalled(int step, int stretch)
{
	return USUALLY_NS + (step == 3 && stretch == 7 ? 90000 : 0);
}

/* Every second call of its kind takes longer, in every step: that is what it takes. */
static int64_t differing(int step, int stretch)
{
	(void)step;
	return USUALLY_NS + (stretch % 2 ? 3000 : 0);
}

/* Keeps out: a host whose work takes longer at times than mostly that is given no gain, and one stall
 * or work that always takes longer taken for that. */
static void test_unsteady(void)
{
	static const struct {
		int64_t (*ns)(int step, int stretch);
		int64_t gain_ns;
		bool unsteady;
	} runs[] = {{uneven, 39600, true}, {stalled, 18000, false}, {differing, 0, false}};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct model model;
		struct causes causes;
		struct culprits culprits;
		make_thread(&model, runs[i].ns);
		CHECK(causes_open(&causes, &model) == 0, "no causes");
		CHECK(causes.unsteady == runs[i].unsteady, "%zu", i);
		const int64_t ns = gain(&causes, CAUSE_STEADY_HOST, ALL_UNITS);
		CHECK(ns == runs[i].gain_ns, "%zu wins %lld", i, (long long)ns);
		CHECK(culprits_find(&causes, &culprits) == 0, "no search");
		CHECK((culprits.n == 1 && culprits.at[0].cause == CAUSE_STEADY_HOST) == runs[i].unsteady,
			  "%zu: %u culprits", i, culprits.n);
		causes_close(&causes);
		model_free(&model);
	}
}

/* What few steps have has no usual time. */
static void test_compare_steps(void)
{
	struct position positions[11] = {{0}};
	struct unit units[1] = {{0}};
	struct compared *rows;
	int64_t *usual_ns;
	for (int i = 0; i < 11; i++) {
		const uint64_t place = i < 7 ? 5 : 6; /* in seven steps, and in four */
		positions[i] = (struct position){
			.key = hash_mix(place, (uint64_t)i), .place = place, .ns = i == 3 ? 900 : 10 + i};
	}
	positions[1].divided = true;
	CHECK(compare_positions(positions, 11, units, &rows) == 0, "no memory");
	CHECK(compare_steps(positions, rows, 11, &usual_ns) == 0, "no memory");
	/* 10, 12, 14, 15, 16, 900 */
	for (int i = 0; i < 11; i++)
		CHECK(usual_ns[i] == (i < 7 && i != 1 ? 14 : -1), "%d: %lld", i, (long long)usual_ns[i]);
	free(usual_ns);
	free(rows);
}

int main(void)
{
	test_slow_rank();
	test_even_stages();
	test_two();
	test_together();
	test_most_on_one();
	test_all_alike_one_late();
	test_taken_once();
	test_equal();
	test_compare();
	test_compare_divided();
	test_compare_stages();
	test_compare_steps();
	test_unsteady();
	return finish();
}
