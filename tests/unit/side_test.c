/* Several runs of one job as one side of a comparison: an exact mean, the middle run, a floor under the noise. */
#include "check.h"
#include "conclude/change.h"
#include "conclude/figures.h"
#include "summary/series.h"
#include "summary/summary.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 20, RUNS = 3 };

/* A run of one device whose steps are all as long: half matmul, half waiting for input, 1 ns more of the former where it is odd. */
static struct summary make(int64_t step_ns)
{
	struct summary s;
	int64_t cells[2][STEPS];
	const int64_t parts[] = {step_ns - step_ns / 2, step_ns / 2};
	const enum leaf leaves[] = {LEAF_WORK_MATMUL, LEAF_HOST_INPUT};
	CHECK(summary_init(&s) == 0, "no memory");
	CHECK(summary_string(&s, "marker", &s.run.step_source) == 0, "no memory");
	struct device_summary *d = summary_device(&s, "host/0");
	d->steps = STEPS;
	d->window_ns = STEPS * step_ns;
	CHECK(counts_add(&d->step_ns, step_ns, STEPS) == 0, "no memory");
	for (int i = 0; i < 2; i++) {
		d->time_ns[leaves[i]] = STEPS * parts[i];
		d->carried |= LEAF_BIT(leaves[i]);
		for (int step = 0; step < STEPS; step++)
			cells[i][step] = parts[i];
		struct series row = {.rank = -1, .steps = STEPS, .width = 1, .ns = cells[i]};
		CHECK(summary_series(&s, "host/0", leaf_name(leaves[i]), &row) == 0, "no memory");
	}
	return s;
}

struct job {
	struct summary runs[RUNS];
	const struct summary *all[RUNS];
	struct side side;
};

static void open_job(struct job *job, const int64_t *steps_ns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		job->runs[i] = make(steps_ns[i]);
		job->all[i] = &job->runs[i];
	}
	CHECK(side_open(&job->side, job->all, n) == 0, "no memory");
}

static void close_job(struct job *job)
{
	for (size_t i = 0; i < job->side.n; i++)
		summary_free(&job->runs[i]);
	side_close(&job->side);
}

/* Keeps out: a mean whose leaves do not add up to its step, a run that counts twice, the wrong middle. */
static void means(void)
{
	struct job job;
	open_job(&job, (const int64_t[]){1000, 1005, 1900}, RUNS);
	const struct figures *mean = &job.side.mean;
	CHECK(mean->step_ns == 1302, "%lld", (long long)mean->step_ns);
	CHECK(mean->time_ns[LEAF_WORK_MATMUL] + mean->time_ns[LEAF_HOST_INPUT] == 1302,
		  "the leaves do not add up");
	CHECK(job.side.middle == 1, "the middle is %zu", job.side.middle);
	CHECK(mean->steps == STEPS && mean->has_steps, "steps");
	CHECK(side_spread(&job.side, LEAVES_ALL) == 900, "%lld",
		  (long long)side_spread(&job.side, LEAVES_ALL));
	CHECK(side_spread(&job.side, LEAF_BIT(LEAF_NCCL_WAIT)) == 0, "a leaf that no run has");
	CHECK(side_has_steps(&job.side, STEPS) && !side_has_steps(&job.side, STEPS + 1),
		  "enough steps");
	close_job(&job);
}

static struct change change_between(struct job *base, struct job *other)
{
	struct scaling_run runs[2] = {{.figures = &base->side.mean, .busy_ns = base->side.busy_ns},
								  {.figures = &other->side.mean, .busy_ns = other->side.busy_ns}};
	struct scaling_result result;
	struct change change;
	scaling_compute(runs, 2, (struct scaling_wanted){SCALING_WEAK, true}, &result);
	CHECK(result.base == 0, "the first is the base");
	const struct change_sides sides = {&other->side, &base->side, &runs[1], &runs[0]};
	CHECK(change_find(&sides, &change) == 0, "no memory");
	return change;
}

/* Keeps out: a difference that runs of one job have between each other, called a change. */
static void floors(void)
{
	static const int64_t apart[] = {100000, 104000, 102000}, alike[] = {102000, 102000, 102000},
						 later[] = {105000};
	struct job base, twin, other;
	open_job(&base, apart, RUNS);
	open_job(&twin, alike, RUNS);
	open_job(&other, later, 1);
	struct change change = change_between(&base, &other);
	CHECK(change.known && !change.loss.changed, "3 of 102 us, among runs that are 4 us apart");
	CHECK(change.loss.low_ns == -1000 && change.loss.high_ns == 7000, "%lld to %lld",
		  (long long)change.loss.low_ns, (long long)change.loss.high_ns);
	CHECK(change.terms[LEAF_WORK_MATMUL].low_ns == -500, "a term has its own floor");
	change = change_between(&twin, &other);
	CHECK(change.known && change.loss.changed && change.loss.low_ns == 3000,
		  "3 of 102 us, among runs that are alike");
	change = change_between(&twin, &base);
	CHECK(!change.loss.changed && change.loss.high_ns == 4000, "the other side's runs count too");
	close_job(&base);
	close_job(&twin);
	close_job(&other);
}

/* Keeps out: a leaf that takes a part of another one's time, and all that this differs by from run to run. */
static void floor_of_parts(void)
{
	struct job base, other;
	struct change_range range;
	struct change_steps steps = {.difference_ns = 3000};
	open_job(&base, (const int64_t[]){100000, 104000, 102000}, RUNS);
	open_job(&other, (const int64_t[]){105000}, 1);
	struct scaling_run runs[2] = {{.figures = &base.side.mean, .busy_ns = base.side.busy_ns},
								  {.figures = &other.side.mean, .busy_ns = other.side.busy_ns}};
	struct scaling_result result;
	scaling_compute(runs, 2, (struct scaling_wanted){SCALING_WEAK, true}, &result);
	const struct change_sides sides = {&other.side, &base.side, &runs[1], &runs[0]};
	steps.base_parts[LEAF_WORK_MATMUL] = 0.25;
	steps.base_parts[LEAF_HOST_INPUT] = 0.5;
	CHECK(change_range(&sides, &steps, &range) == 0, "no memory");
	CHECK(range.low_ns == 1500 && range.high_ns == 4500 && range.changed, "%lld to %lld",
		  (long long)range.low_ns, (long long)range.high_ns);
	close_job(&base);
	close_job(&other);
}

/* Keeps out: a divisor from a file of hostile times, whose double overflows. */
static void shares_of_much(void)
{
	const int64_t divisor = INT64_MAX / 8 * 5;
	const __int128 terms[] = {(__int128)divisor * 3, (__int128)divisor * 2 + divisor / 4 * 3};
	int64_t out[2];
	figures_share_out(terms, 2, divisor, out);
	CHECK(out[0] == 3 && out[1] == 3, "%lld and %lld", (long long)out[0], (long long)out[1]);
}

int main(void)
{
	shares_of_much();
	means();
	floors();
	floor_of_parts();
	return finish();
}
