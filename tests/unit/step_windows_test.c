/* Steps sought in windows are those that all launches at once give, in bounded memory: with
 * evaluation between them, micro-batches, lost launches, inputs, two streams. Where windows show
 * too little (steps longer than a window, another program from the middle on, a launch that comes
 * much too late) all launches are asked for, and no other steps are told. Where kernels are known to
 * update weights windows do more often, and may find the steps where all launches show cycles of
 * evaluation. */
#include "attribute/launch_log.h"
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 4096, NAMES = 256, LATE = 3, DRAWN = 12 };

struct job {
	const char *what;
	uint32_t steps, layers, micro, optimizer;
	uint32_t eval_every, eval_batches, eval_first; /* after so many steps; before the first one */
	uint32_t lost_permille, change_after, late_after;
	uint32_t own_in_eval; /* kernels that are in evaluation alone */
	bool in_windows;      /* windows do */
	bool in_trained;      /* they do where it is known which kernels update weights */
};

static const struct job jobs[] = {
	{.what = "plain", .steps = 800, .layers = 3, .in_windows = true, .in_trained = true},
	{.what = "short steps", .steps = 6000, .in_windows = true, .in_trained = true},
	{.what = "evaluation",
	 .steps = 800,
	 .layers = 3,
	 .eval_every = 7,
	 .eval_batches = 5,
	 .in_windows = true,
	 .in_trained = true},
	{.what = "micro-batches",
	 .steps = 400,
	 .layers = 2,
	 .micro = 4,
	 .in_windows = true,
	 .in_trained = true},
	{.what = "lost launches", .steps = 800, .layers = 3, .lost_permille = 2, .in_trained = true},
	{.what = "long evaluation",
	 .steps = 800,
	 .layers = 3,
	 .eval_every = 90,
	 .eval_batches = 60,
	 .in_trained = true},
	{.what = "evaluation longer than a window",
	 .steps = 2000,
	 .layers = 3,
	 .eval_every = 400,
	 .eval_batches = 500},
	{.what = "evaluation at the end",
	 .steps = 800,
	 .layers = 3,
	 .eval_every = 800,
	 .eval_batches = 500},
	{.what = "evaluation first",
	 .steps = 1000,
	 .layers = 3,
	 .eval_every = 60,
	 .eval_batches = 9,
	 .eval_first = 5,
	 .in_trained = true},
	{.what = "steps longer than a window", .steps = 12, .layers = 400},
	{.what = "windows of two steps", .steps = 40, .layers = 80},
	{.what = "many micro-batches", .steps = 40, .layers = 2, .micro = 40},
	{.what = "many micro-batches, a long optimizer", .steps = 40, .micro = 90, .optimizer = 200},
	{.what = "another program", .steps = 800, .layers = 3, .change_after = 500},
	{.what = "a late launch", .steps = 800, .layers = 3, .late_after = 700},
};

struct maker {
	const struct job *job;
	struct launch_log *log;
	int64_t clock_ns;
	uint64_t random;
	uint32_t added;
	size_t most_marks;
	int error;
};

static uint32_t draw(struct maker *m, uint32_t below)
{
	m->random = m->random * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(m->random >> 33) % below;
}

static void add(struct maker *m, struct op op)
{
	op.flags = OP_MATCHED;
	if (!m->error)
		m->error = launch_log_add(m->log, &op);
	m->most_marks = m->log->n_marks > m->most_marks ? m->log->n_marks : m->most_marks;
}

/* A seventh of the kernels is of a second stream and starts after the ones launched after it. */
static void launch(struct maker *m, uint32_t name)
{
	m->clock_ns += 1000 + draw(m, 1000);
	m->added++;
	if (draw(m, 1000) < m->job->lost_permille)
		return;
	const int64_t ls = name % 7 ? m->clock_ns : m->clock_ns - 2500;
	add(m, (struct op){.start = m->clock_ns + 5000,
					   .end = m->clock_ns + 5500,
					   .ls = ls,
					   .name = name,
					   .kind = BATON_KERNEL});
}

static void copy_input(struct maker *m)
{
	m->clock_ns += 3000;
	add(m, (struct op){.start = m->clock_ns,
					   .end = m->clock_ns + 900,
					   .ls = m->clock_ns,
					   .kind = BATON_MEMCPY,
					   .copy_dir = BATON_COPY_HTOD});
}

static void launch_some(struct maker *m, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		launch(m, first + i);
}

static void forward(struct maker *m, uint32_t base)
{
	copy_input(m);
	launch_some(m, base, 6);
	for (uint32_t i = 0; i < m->job->layers; i++)
		launch_some(m, base + 10, 9);
}

static void evaluate(struct maker *m, uint32_t batches)
{
	for (uint32_t i = 0; i < batches; i++) {
		forward(m, 1);
		launch_some(m, 70, m->job->own_in_eval);
	}
}

static void step(struct maker *m, uint32_t base)
{
	const uint32_t micro = m->job->micro ? m->job->micro : 1;
	for (uint32_t i = 0; i < micro; i++) {
		forward(m, base);
		launch_some(m, base + 20, 4);
		for (uint32_t k = 0; k < m->job->layers; k++)
			launch_some(m, base + 30, 12);
		launch_some(m, base + 45, 6);
	}
	for (uint32_t i = 0; i <= m->job->optimizer / 6; i++)
		launch_some(m, base + 52, 6);
}

/* Adds the job to the log; 0 or what adding gave. */
static int make(struct maker *m)
{
	const struct job *job = m->job;
	launch_some(m, 90, 20);
	evaluate(m, job->eval_first);
	for (uint32_t i = 0; i < job->steps; i++) {
		step(m, job->change_after && i >= job->change_after ? 120 : 1);
		if (job->eval_every && (i + 1) % job->eval_every == 0)
			evaluate(m, job->eval_batches);
		if (job->late_after == i + 1)
			add(m, (struct op){.start = m->clock_ns,
							   .end = m->clock_ns + 9,
							   .ls = LATE,
							   .name = 1,
							   .kind = BATON_KERNEL});
	}
	return m->error;
}

/* The optimizer's kernels of both programs. */
static bool updates(void *context, uint32_t name)
{
	const uint32_t base = name > 120 ? 120 : 1;
	(void)context;
	return name >= base + 52 && name < base + 58;
}

static void open_log(struct launch_log *log, struct period_memo *periods, bool trained)
{
	*log = (struct launch_log){.sorted = true};
	step_windows_open(&log->windows, periods, NAMES, WINDOW);
	log->windows.updates.is = trained ? updates : NULL;
}

/* The first begin, the last end and a step whose first launches were lost may be told otherwise. `near_ns`:
 * so far off does not count. */
static size_t elsewhere(const struct logged_steps *found, const struct logged_steps *right,
						int64_t near_ns)
{
	size_t n = 0;
	for (size_t i = 0; found->n == right->n && right->n && i <= right->n; i++)
		n += llabs((long long)(found->begins[i] - right->begins[i])) > near_ns;
	return n;
}

static void try_job(const struct job *job, struct period_memo *memo, bool trained)
{
	const bool in_windows = trained ? job->in_trained : job->in_windows;
	const int64_t near_ns = trained ? 20000 : 0;                   /* some ten launches */
	const size_t part = trained && job->lost_permille ? 20 : 1000; /* one in so many may differ */
	struct launch_log whole, windows;
	struct logged_steps right = {0}, found = {0};
	struct maker all = {.job = job, .log = &whole, .clock_ns = 1000000};
	struct maker some = {.job = job, .log = &windows, .clock_ns = 1000000};
	open_log(&whole, NULL, trained);
	open_log(&windows, memo, trained);
	CHECK(make(&all) == 0 && launch_log_steps(&whole, memo, &right) == 0, "%s: all at once",
		  job->what);
	int error = make(&some);
	error = error ? error : launch_log_steps(&windows, memo, &found);
	CHECK(error == 0 || (error == -EAGAIN && !in_windows), "%s: windows end with %d%s", job->what,
		  error, trained ? ", trained" : "");
	if (error == 0) {
		const bool better = trained && found.n + 2 >= job->steps && found.n <= job->steps;
		CHECK(found.n == right.n || better, "%s: %zu steps in windows, %zu in all (of %u)",
			  job->what, found.n, right.n, job->steps);
		const bool exact = in_windows && !job->lost_permille;
		CHECK(elsewhere(&found, &right, near_ns) <= (exact ? 0 : 1 + right.n / part),
			  "%s: %zu steps begin elsewhere", job->what, elsewhere(&found, &right, near_ns));
		CHECK(windows.launches == whole.launches, "%s: launches", job->what);
	}
	if (in_windows) {
		CHECK(right.n + 2 >= job->steps && right.n <= job->steps, "%s: %zu steps", job->what,
			  right.n);
		CHECK(some.most_marks <= (size_t)8 * WINDOW && whole.n_marks > (size_t)16 * WINDOW,
			  "%s: %zu launches kept of %zu", job->what, some.most_marks, whole.n_marks);
	}
	free(right.begins);
	free(found.begins);
	launch_log_free(&whole);
	launch_log_free(&windows);
}

static uint32_t some_of(struct maker *m, uint32_t one_in, uint32_t below)
{
	return draw(m, one_in) ? 0 : 1 + draw(m, below);
}

/* Whatever a job is, windows give no other steps. */
static void try_random(uint32_t seed, struct period_memo *memo)
{
	struct maker m = {.random = seed};
	char what[32];
	draw(&m, 2);
	struct job job = {.what = what, .layers = draw(&m, 2) ? draw(&m, 5) : draw(&m, 100)};
	snprintf(what, sizeof(what), "random job %u", seed);
	job.micro = some_of(&m, 2, draw(&m, 2) ? 6 : 60);
	job.optimizer = some_of(&m, 3, 300);
	job.eval_every = some_of(&m, 2, draw(&m, 2) ? 10 : 300);
	job.eval_batches = 1 + draw(&m, draw(&m, 2) ? 10 : 600);
	job.eval_first = some_of(&m, 4, 100);
	job.lost_permille = some_of(&m, 3, 10);
	job.own_in_eval = draw(&m, 3) == 0 ? 1 + draw(&m, 6) : 0;
	const uint32_t micro = (job.micro ? job.micro : 1) * (17 + 21 * job.layers);
	const uint32_t evaluated =
		job.eval_every ? job.eval_batches * (6 + 9 * job.layers) / job.eval_every : 0;
	job.steps = 20 + 100000 / (micro + job.optimizer + 6 + evaluated);
	job.change_after = some_of(&m, 10, job.steps);
	try_job(&job, memo, seed % 2);
}

int main(int argc, char **argv)
{
	struct period_memo *memo = NULL;
	const uint32_t jobs_drawn = argc > 1 ? (uint32_t)atoi(argv[1]) : DRAWN;
	CHECK(period_memo_open(&memo) == 0, "memory");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		for (int trained = 0; trained < 2; trained++)
			try_job(&jobs[i], memo, trained);
	for (uint32_t seed = 1; seed <= jobs_drawn; seed++)
		try_random(seed, memo);
	period_memo_close(memo);
	return finish();
}
