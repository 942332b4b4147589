/* Steps from periodicity: the exact number of steps and where each begins, on generated runs with
 * lost and foreign launches, uneven steps, evaluation between them, gradient accumulation; and none
 * where there are none. What a family may get wrong is what it got wrong on these seeds when it was
 * written: a floor under the method, not its error rate (on other seeds of the families without
 * allowance about 1 run in 170 has another number). `period_test FAMILY SEED` shows one run. */
#include "check.h"
#include "steps/period_memo.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 4, MOST_KERNELS = 32768, MOST_STEPS = 2048 };

/* What a run is made of. */
struct plan {
	uint32_t steps;
	uint32_t head, layer, layers_least, layers_most; /* forward: head, layers, loss */
	uint32_t optimizer;
	uint32_t names;       /* kernels draw from so many names; 0: each has its own */
	uint32_t own_percent; /* with names: so many percent have their own nevertheless */
	bool optimizer_own;   /* those of the optimizer always do */
	uint32_t micro_most;  /* micro-batches a step, 1 .. micro_most */
	bool micro_fixed;     /* always micro_most */
	uint32_t eval_every, eval_batches, eval_keep_percent;
	uint32_t eval_first, eval_last; /* batches before the first and after the last step */
	uint32_t extra_every, reduce_every;
	uint32_t warm_up, tail;
	uint32_t drop_permille, insert_permille, insert_new_percent;
	bool layers_differ; /* each layer has kernels of its own */
	bool forward_only;
	bool graph; /* a step is one graph launch: its kernels share a launch time */
};

struct run {
	struct launch_mark *marks;
	size_t n, room;
	int64_t clock_ns;
	int64_t pace_ns;
	int64_t last_ns;           /* of the last true kernel */
	int64_t after[MOST_STEPS]; /* a step begins after this time */
	int64_t by[MOST_STEPS];    /* and by this */
	uint32_t kernels_in[MOST_STEPS];
	uint32_t steps;
	uint32_t seen; /* true kernels of the step so far */
	bool in_step;
	uint64_t random;
	const struct plan *plan;
	uint32_t symbols;
};

static uint32_t draw(struct run *r, uint32_t below)
{
	r->random += 0x9e3779b97f4a7c15U;
	uint64_t z = r->random;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return (uint32_t)((z ^ z >> 31) % (below ? below : 1));
}

static uint32_t between(struct run *r, uint32_t least, uint32_t most)
{
	return least + draw(r, most - least + 1);
}

static void put(struct run *r, uint32_t symbol)
{
	if (r->n == r->room) {
		r->room = r->room ? 2 * r->room : 4096;
		r->marks = realloc(r->marks, r->room * sizeof(*r->marks));
	}
	/* an odd factor: numbers that say nothing about the order of appearance */
	r->marks[r->n++] =
		(struct launch_mark){.launch_ns = r->clock_ns, .symbol = symbol * 2654435761U};
}

static void launch(struct run *r, uint32_t symbol)
{
	const struct plan *p = r->plan;
	if (!p->graph)
		r->clock_ns += r->pace_ns + draw(r, (uint32_t)r->pace_ns);
	if (draw(r, 1000) < p->insert_permille) {
		bool new = draw(r, 100) < p->insert_new_percent;
		put(r, new ? 1000000 + draw(r, 50) : draw(r, r->symbols));
		r->clock_ns += !p->graph;
	}
	if (draw(r, 1000) < p->drop_permille)
		return;
	put(r, symbol);
	r->last_ns = r->clock_ns;
	if (r->in_step && r->seen++ < FEW)
		r->by[r->steps - 1] = r->clock_ns;
}

struct model {
	uint32_t head[MOST_KERNELS], layer[MOST_KERNELS], loss[8];
	uint32_t layer_back[MOST_KERNELS], loss_back[8], head_back[MOST_KERNELS];
	uint32_t optimizer[MOST_KERNELS];
	bool kept[MOST_KERNELS]; /* of the layer, in evaluation */
};

static uint32_t name(struct run *r, bool own)
{
	const struct plan *p = r->plan;
	if (p->names == 0 || own || draw(r, 100) < p->own_percent)
		return r->symbols++;
	return draw(r, p->names);
}

static void fill(struct run *r, uint32_t *symbols, uint32_t n, bool own)
{
	for (uint32_t i = 0; i < n; i++)
		symbols[i] = name(r, own);
}

static void model_make(struct run *r, struct model *m)
{
	const struct plan *p = r->plan;
	uint32_t layers = p->layers_differ ? p->layers_most : 1;
	r->symbols = p->names;
	fill(r, m->head, p->head, false);
	fill(r, m->layer, p->layer * layers, false);
	fill(r, m->loss, 3, false);
	fill(r, m->loss_back, 3, false);
	fill(r, m->layer_back, p->layer * layers, false);
	fill(r, m->head_back, p->head, false);
	fill(r, m->optimizer, p->optimizer, p->optimizer_own);
	for (uint32_t i = 0; i < p->layer * layers; i++)
		m->kept[i] = draw(r, 100) < p->eval_keep_percent;
}

static void forward(struct run *r, const struct model *m, uint32_t layers, bool eval)
{
	const struct plan *p = r->plan;
	for (uint32_t i = 0; i < p->head; i++)
		launch(r, m->head[i]);
	for (uint32_t k = 0; k < layers; k++)
		for (uint32_t i = 0; i < p->layer; i++) {
			uint32_t at = i + (p->layers_differ ? k * p->layer : 0);
			if (!eval || m->kept[at])
				launch(r, m->layer[at]);
		}
	for (uint32_t i = 0; i < (eval ? 2 : 3); i++)
		launch(r, m->loss[i]);
}

static void backward(struct run *r, const struct model *m, uint32_t layers)
{
	const struct plan *p = r->plan;
	for (uint32_t i = 0; i < 3; i++)
		launch(r, m->loss_back[i]);
	for (uint32_t k = layers; k-- > 0;)
		for (uint32_t i = 0; i < p->layer; i++)
			launch(r, m->layer_back[i + (p->layers_differ ? k * p->layer : 0)]);
	for (uint32_t i = 0; i < p->head; i++)
		launch(r, m->head_back[i]);
}

static void step(struct run *r, const struct model *m)
{
	const struct plan *p = r->plan;
	uint32_t micro = p->micro_fixed ? p->micro_most : between(r, 1, p->micro_most);
	r->pace_ns = between(r, 1000, 3000);
	r->clock_ns += 10;
	r->in_step = true;
	r->after[r->steps] = r->last_ns;
	r->by[r->steps++] = r->clock_ns;
	r->seen = 0;
	for (uint32_t i = 0; i < micro; i++) {
		uint32_t layers = between(r, p->layers_least, p->layers_most);
		forward(r, m, layers, false);
		if (p->forward_only)
			return;
		backward(r, m, layers);
	}
	if (p->reduce_every && r->steps % p->reduce_every == 0)
		launch(r, 900001);
	for (uint32_t i = 0; i < p->optimizer; i++)
		launch(r, m->optimizer[i]);
	if (p->extra_every && r->steps % p->extra_every == 0)
		launch(r, 900000);
	r->in_step = false;
}

static void evaluate(struct run *r, const struct model *m, uint32_t batches)
{
	r->clock_ns += 100;
	for (uint32_t i = 0; i < batches; i++)
		forward(r, m, r->plan->layers_most, true);
}

static void warm_up(struct run *r, const struct model *m)
{
	r->pace_ns = 2000;
	r->last_ns = -1;
	for (uint32_t i = 0; i < r->plan->warm_up; i++) {
		uint32_t times = draw(r, 4) ? 1 : between(r, 5, 40); /* autotune */
		uint32_t symbol = draw(r, 3) ? 800000 + i : m->layer[draw(r, r->plan->layer)];
		while (times-- > 0)
			launch(r, symbol);
	}
}

static void generate(struct run *r, const struct plan *p, uint64_t seed)
{
	struct model *m = calloc(1, sizeof(*m));
	*r = (struct run){.random = seed * 977 + 5, .plan = p, .clock_ns = 1000};
	model_make(r, m);
	warm_up(r, m);
	evaluate(r, m, p->eval_first);
	for (uint32_t i = 0; i < p->steps; i++) {
		step(r, m);
		if (p->eval_every && (i + 1) % p->eval_every == 0)
			evaluate(r, m, p->eval_batches);
	}
	evaluate(r, m, p->eval_last);
	for (uint32_t i = 0; i < p->tail; i++)
		launch(r, 700000 + i % 3);
	free(m);
}

struct family {
	const char *name;
	struct plan plan;
	uint32_t seeds;
	uint32_t misplaced_permille; /* so many steps may begin elsewhere */
	uint32_t undecided;          /* so many runs may have another number of steps */
};

#define NOISE(drop, insert) \
	.drop_permille = drop, .insert_permille = insert, .insert_new_percent = 50

/* Where the plan says nothing. */
static struct plan with_defaults(struct plan p)
{
	uint32_t *const fields[] = {&p.steps,       &p.head,         &p.layer,
								&p.layers_most, &p.layers_least, &p.optimizer,
								&p.micro_most,  &p.warm_up,      &p.tail};
	const uint32_t usual[] = {40, 4, 8, 4, p.layers_most ? p.layers_most : 4, 6, 1, 30, 20};
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++)
		*fields[i] = *fields[i] ? *fields[i] : usual[i];
	return p;
}

static const struct family families[] = {
	{"plain", {.steps = 40}, 20, 0, 0},
	{"dropped", {NOISE(20, 0)}, 20, 0, 0},
	{"inserted", {NOISE(0, 20)}, 20, 5, 0},
	{"noise", {NOISE(20, 20)}, 40, 5, 0},
	{"uneven", {NOISE(20, 20), .layers_least = 4, .layers_most = 12}, 30, 5, 0},
	{"uneven distinct layers",
	 {NOISE(20, 20), .layers_least = 4, .layers_most = 12, .layers_differ = true},
	 30,
	 5,
	 0},
	{"distinct layers", {NOISE(20, 20), .layers_differ = true}, 20, 5, 0},
	{"accumulation", {NOISE(20, 20), .micro_most = 3}, 30, 5, 0},
	{"accumulation fixed", {NOISE(20, 20), .micro_most = 4, .micro_fixed = true}, 20, 5, 0},
	{"evaluation",
	 {NOISE(20, 20), .eval_every = 10, .eval_batches = 5, .eval_keep_percent = 80, .eval_last = 9},
	 30,
	 5,
	 0},
	{"evaluation complete",
	 {NOISE(20, 20), .eval_every = 10, .eval_batches = 5, .eval_keep_percent = 100, .eval_first = 2,
	  .eval_last = 20},
	 30,
	 5,
	 0},
	{"evaluation each step",
	 {NOISE(20, 20), .eval_every = 1, .eval_batches = 3, .eval_keep_percent = 90},
	 30,
	 60,
	 0},
	{"evaluation uneven",
	 {NOISE(20, 20), .layers_least = 2, .layers_most = 6, .eval_every = 10, .eval_batches = 5,
	  .eval_keep_percent = 100},
	 30,
	 5,
	 0},
	{"evaluation distinct layers",
	 {NOISE(20, 20), .layers_differ = true, .eval_every = 10, .eval_batches = 5,
	  .eval_keep_percent = 80, .eval_last = 5},
	 30,
	 40,
	 0},
	{"accumulation, evaluation",
	 {NOISE(20, 20), .micro_most = 3, .eval_every = 10, .eval_batches = 5, .eval_keep_percent = 90,
	  .eval_last = 10, .eval_first = 2},
	 40,
	 5,
	 0},
	{"extra", {NOISE(20, 20), .extra_every = 2}, 20, 5, 0},
	{"extra and reduce", {NOISE(20, 20), .extra_every = 2, .reduce_every = 4}, 20, 5, 0},
	{"extra, evaluation",
	 {NOISE(20, 20), .extra_every = 2, .reduce_every = 4, .eval_every = 10, .eval_batches = 5,
	  .eval_keep_percent = 100},
	 20,
	 5,
	 0},
	{"three steps",
	 {NOISE(20, 20), .steps = 3, .eval_last = 5, .eval_keep_percent = 90},
	 60,
	 60,
	 0},
	{"few steps", {NOISE(20, 20), .steps = 5, .micro_most = 2}, 40, 5, 0},
	{"small steps",
	 {NOISE(20, 20), .steps = 300, .head = 2, .layer = 2, .layers_least = 1, .layers_most = 1,
	  .optimizer = 5},
	 30,
	 40,
	 0},
	{"small steps, few",
	 {NOISE(20, 20), .steps = 3, .head = 2, .layer = 2, .layers_least = 1, .layers_most = 1,
	  .optimizer = 5, .warm_up = 5, .tail = 4},
	 60,
	 5,
	 0},
	{"many small steps",
	 {NOISE(20, 20), .steps = 2000, .head = 2, .layer = 2, .layers_least = 1, .layers_most = 2,
	  .optimizer = 5, .eval_every = 100, .eval_batches = 5, .eval_keep_percent = 100},
	 4,
	 5,
	 0},
	{"large steps",
	 {NOISE(20, 20), .steps = 5, .head = 100, .layer = 100, .layers_least = 60, .layers_most = 90,
	  .optimizer = 500},
	 3,
	 5,
	 0},
	{"large distinct steps",
	 {NOISE(20, 20), .steps = 4, .head = 100, .layer = 5000, .layers_least = 2, .layers_most = 2,
	  .optimizer = 500},
	 3,
	 5,
	 0},
	{"shared names",
	 {NOISE(20, 20), .names = 20, .own_percent = 20, .layer = 20, .optimizer = 10,
	  .optimizer_own = true},
	 40,
	 30,
	 0},
	{"shared names, all",
	 {NOISE(20, 20), .names = 30, .layer = 20, .optimizer = 10, .eval_every = 10, .eval_batches = 4,
	  .eval_keep_percent = 90},
	 40,
	 600,
	 12},
	{"shared names, accumulation",
	 {NOISE(20, 20), .names = 20, .own_percent = 20, .layer = 20, .optimizer = 10,
	  .optimizer_own = true, .micro_most = 3},
	 40,
	 30,
	 1},
	{"few names",
	 {NOISE(20, 20), .names = 5, .own_percent = 5, .layer = 20, .optimizer = 15},
	 40,
	 400,
	 1},
	{"few names, evaluation",
	 {NOISE(20, 20), .names = 5, .own_percent = 5, .layer = 20, .optimizer = 15,
	  .optimizer_own = true, .eval_every = 10, .eval_batches = 5, .eval_keep_percent = 90},
	 40,
	 130,
	 0},
	{"few names, accumulation",
	 {NOISE(20, 20), .names = 5, .own_percent = 5, .layer = 20, .optimizer = 15,
	  .optimizer_own = true, .micro_most = 3},
	 40,
	 500,
	 4},
	{"graph", {.graph = true}, 10, 5, 0},
	{"inference",
	 {NOISE(20, 20), .steps = 200, .layer = 6, .head = 3, .forward_only = true},
	 10,
	 5,
	 0},
};

static bool verbose;

/* How many of the steps begin where they do not. */
static uint32_t misplaced(const struct run *r, const int64_t *begins)
{
	uint32_t wrong = 0;
	for (uint32_t i = 0; i < r->steps; i++) {
		bool here = begins[i] > r->after[i] && begins[i] <= r->by[i];
		wrong += !here;
		if (!here && verbose)
			printf("  step %u begins at %lld, not in (%lld, %lld]\n", i, (long long)begins[i],
				   (long long)r->after[i], (long long)r->by[i]);
	}
	return wrong;
}

struct score {
	uint32_t runs_wrong, first_wrong; /* runs with another number of steps */
	uint32_t steps, begins_wrong;
};

/* Other numbers for the same kernels: the same steps. */
static void renumber(const struct run *r, const int64_t *begins, size_t found)
{
	int64_t *again = NULL;
	size_t n = 0;
	for (size_t i = 0; i < r->n; i++)
		r->marks[i].symbol = ~r->marks[i].symbol * 40503U;
	CHECK(period_find(r->marks, r->n, &again, &n) == 0, "out of memory");
	CHECK(n == found && (n == 0 || memcmp(again, begins, n * sizeof(*again)) == 0),
		  "other numbers for the kernels give other steps");
	free(again);
}

/* Does the memory say what the search says? */
static void ask(struct period_memo *memo, const struct run *r, const char *what)
{
	int64_t *begins = NULL, *known = NULL;
	size_t n = 0, n_known = 0;
	CHECK(period_find(r->marks, r->n, &begins, &n) == 0, "out of memory");
	CHECK(period_memo_find(memo, r->marks, r->n, &known, &n_known) == 0, "out of memory");
	CHECK(n_known == n && (n == 0 || memcmp(known, begins, (n + 1) * sizeof(*begins)) == 0),
		  "%s: %zu steps remembered, not %zu", what, n_known, n);
	free(begins);
	free(known);
}

/* Another rank launches the same kernels at other times, and numbers them in another way; a third one
 * launches others. */
static void remembered(const struct run *r)
{
	struct period_memo *memo = NULL;
	CHECK(period_memo_open(&memo) == 0, "out of memory");
	ask(memo, r, "first asked");
	for (size_t i = 0; i < r->n; i++) {
		r->marks[i].launch_ns += 1000;
		r->marks[i].symbol ^= 1;
	}
	ask(memo, r, "other times and numbers");
	for (size_t i = r->n / 2; i < r->n; i++)
		r->marks[i].symbol = r->marks[0].symbol;
	ask(memo, r, "half of the kernels replaced");
	period_memo_close(memo);
}

static void one_run(const struct family *family, uint32_t seed, struct score *score)
{
	struct run r;
	struct plan plan = with_defaults(family->plan);
	int64_t *begins = NULL;
	size_t found = 0;
	generate(&r, &plan, seed);
	CHECK(period_find(r.marks, r.n, &begins, &found) == 0, "out of memory");
	if (verbose)
		printf("%zu launches, %u steps, %zu found\n", r.n, r.steps, found);
	if (found != r.steps) {
		score->first_wrong = score->runs_wrong++ ? score->first_wrong : seed;
	} else {
		score->steps += r.steps;
		score->begins_wrong += misplaced(&r, begins);
	}
	if (seed == 1)
		renumber(&r, begins, found);
	if (seed == 2)
		remembered(&r);
	free(begins);
	free(r.marks);
}

static void run_families(void)
{
	for (size_t f = 0; f < sizeof(families) / sizeof(*families); f++) {
		struct score score = {0};
		for (uint32_t seed = 1; seed <= families[f].seeds; seed++)
			one_run(&families[f], seed, &score);
		CHECK(score.runs_wrong <= families[f].undecided,
			  "%s: wrong number of steps for %u of %u seeds, first %u", families[f].name,
			  score.runs_wrong, families[f].seeds, score.first_wrong);
		CHECK(score.begins_wrong * 1000 <= families[f].misplaced_permille * score.steps,
			  "%s: %u of %u steps begin elsewhere", families[f].name, score.begins_wrong,
			  score.steps);
	}
}

/* Launches in random order, of few or many names, evenly or unevenly frequent. */
static void run_noise(void)
{
	static const uint32_t names[] = {1, 2, 3, 5, 10, 30, 50, 200, 2000};
	static const uint32_t lengths[] = {10, 60, 200, 1000, 10000};
	for (uint32_t k = 0; k < 9 * 5 * 100; k++) {
		struct run r = {.random = k};
		uint32_t n = names[k % 9], length = lengths[k / 9 % 5];
		bool skewed = k / 45 % 2;
		for (uint32_t i = 0; i < length; i++) {
			r.clock_ns += 100;
			put(&r, skewed ? draw(&r, 1 + draw(&r, n)) : draw(&r, n));
		}
		int64_t *begins = NULL;
		size_t found = 0;
		CHECK(period_find(r.marks, r.n, &begins, &found) == 0, "out of memory");
		CHECK(found == 0, "%zu steps in noise: %u launches of %u names%s (%u)", found, length, n,
			  skewed ? ", skewed" : "", k);
		free(begins);
		free(r.marks);
	}
}

int main(int argc, char **argv)
{
	verbose = argc > 2;
	for (size_t f = 0; verbose && f < sizeof(families) / sizeof(*families); f++)
		if (strcmp(argv[1], families[f].name) == 0)
			one_run(&families[f], (uint32_t)atoi(argv[2]), &(struct score){0});
	if (verbose)
		return 0;
	run_families();
	run_noise();
	CHECK(period_find(NULL, 0, &(int64_t *){NULL}, &(size_t){0}) == 0, "nothing");
	return finish();
}
