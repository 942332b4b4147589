/* The invariants: each predicate finds what is planted, HOLDS() ends the program where it is
 * compiled in and is not evaluated where it is not, and a partition that does not add up is an
 * error in every build. */
#ifndef BATON_CHECKS /* a build with a sanitizer, or DEBUG=1, has it */
#define BATON_CHECKS
#endif
#include "base/holds.h"
#undef BATON_CHECKS

#include "attribute/invariants.h"
#include "attribute/run_study.h"
#include "check.h"
#include "reduce.h"
#include "summary/merge_sums.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Keeps out: a violation that ends nothing, or does not say which. */
static void ends_the_program(void)
{
	char said[512] = "";
	int ends[2], status = 0;
	if (pipe(ends) != 0)
		return;
	const pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		HOLDS(1 + 1 == 2);
		HOLDS(1 + 1 == 3);
		_exit(0);
	}
	close(ends[1]);
	size_t n = 0;
	for (ssize_t some = 1; some > 0 && n<sizeof(said) - 1; n += some> 0 ? (size_t)some : 0)
		some = read(ends[0], said + n, sizeof(said) - 1 - n);
	close(ends[0]);
	waitpid(child, &status, 0);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %x", (unsigned)status);
	CHECK(n > 0 && strstr(said, "internal error") && strstr(said, "1 + 1 == 3"), "it says '%s'",
		  said);
}

/* Keeps out: steps that are out of order, doubled or numbered with a hole. */
static void steps(void)
{
	struct marker markers[] = {{.begin_ns = 5, .step = STEP_AFTER},
							   {.begin_ns = 10, .step = 0},
							   {.begin_ns = 20, .step = 1}};
	struct steps s = {.markers = markers, .n_markers = 3, .n_steps = 2};
	CHECK(steps_in_order(&s), "good steps");
	markers[2].begin_ns = 10;
	CHECK(!steps_in_order(&s), "two steps with one begin");
	markers[2].begin_ns = 20;
	markers[2].step = 2;
	CHECK(!steps_in_order(&s), "a number left out");
	markers[2].step = STEP_AFTER;
	CHECK(!steps_in_order(&s), "fewer steps than counted");
}

/* Keeps out: windows with a hole, or that reach beyond the device's. */
static void windows(void)
{
	int64_t ends[] = {10, 20, 20, 30};
	struct device_scan scan = {
		.steps = {.n_steps = 3}, .ends = ends, .window_from = 10, .window_to = 30};
	CHECK(windows_tile(&scan), "good windows");
	scan.window_to = 31;
	CHECK(!windows_tile(&scan), "a rest after the last step");
	scan.window_to = 30;
	ends[1] = 25;
	CHECK(!windows_tile(&scan), "a step that ends before it begins");
	scan.steps.n_steps = 0;
	scan.window_from = 31;
	CHECK(!windows_tile(&scan), "a window that ends before it begins");
}

/* Keeps out: idle time that is counted twice or not at all. */
static void pieces(void)
{
	struct piece all[] = {{.from = 14, .to = 20},
						  {.from = 10, .to = 12},
						  {.from = 12, .to = 14},
						  {.from = 13, .to = 13}};
	struct pieces p = {.at = all, .n = 4};
	struct gap gap = {.a = 10, .b = 20};
	CHECK(pieces_fill(&p, &gap), "good pieces");
	all[2].from = 13;
	CHECK(!pieces_fill(&p, &gap), "a hole");
	all[2].from = 11;
	CHECK(!pieces_fill(&p, &gap), "an overlap");
	all[2] = (struct piece){.from = 14, .to = 12};
	CHECK(!pieces_fill(&p, &gap), "a piece that ends before it begins");
	all[2] = (struct piece){.from = 12, .to = 14};
	gap.b = 21;
	CHECK(!pieces_fill(&p, &gap), "the end left out");
	p.n = 0;
	CHECK(!pieces_fill(&p, &gap), "no piece at all");
}

/* Keeps out: a leaf whose steps have other time than the window. */
static void by_step(void)
{
	int64_t ends[] = {0, 10, 20}, time_ns[LEAF_COUNT] = {0};
	struct step_leaves leaves;
	CHECK(step_leaves_open(&leaves, ends, 2, 8) == 0, "no memory");
	struct step_cursor cursor = {.into = &leaves};
	step_cursor_add(&cursor, LEAF_HOST_SYNC, 5, 15);
	step_cursor_finish(&cursor);
	time_ns[LEAF_HOST_SYNC] = 10;
	CHECK(step_leaves_add_up(&leaves, time_ns), "10 ns in two steps");
	time_ns[LEAF_HOST_INPUT] = 1;
	CHECK(!step_leaves_add_up(&leaves, time_ns), "1 ns in no step");
	step_leaves_close(&leaves);
}

static void fill(struct summary *s, const char *device, int64_t ns)
{
	CHECK(summary_init(s) == 0, "no memory");
	struct device_summary *row = summary_device(s, device);
	row->window_ns = row->time_ns[LEAF_WORK_MATMUL] = ns;
	s->quality.ops = 3;
}

/* Keeps out: a merge that loses or doubles a row, a number or a counter. */
static void merged(void)
{
	struct summary a, b;
	struct merge_sums parts = {0};
	fill(&a, "a/0", 7);
	fill(&b, "b/0", 9);
	merge_sums_add(&parts, &a);
	merge_sums_add(&parts, &b);
	CHECK(!merge_sums_same(&parts, &a), "nothing was merged yet");
	CHECK(summary_merge(&a, &b) == 0, "no memory");
	CHECK(merge_sums_same(&parts, &a), "a good merge");
	a.quality.ops++;
	CHECK(!merge_sums_same(&parts, &a), "a counter too high");
	a.quality.ops--;
	a.devices[1].time_ns[LEAF_WORK_MATMUL]--;
	CHECK(!merge_sums_same(&parts, &a), "a leaf too low");
	a.devices[1].time_ns[LEAF_WORK_MATMUL]++;
	a.rows[ROW_DEVICE].n--;
	CHECK(!merge_sums_same(&parts, &a), "a row lost");
	a.rows[ROW_DEVICE].n++;
	merge_sums_free(&parts);
	summary_free(&a);
	summary_free(&b);
}

static int nothing(void *of, const struct device_context *context, const struct device_scan *scans)
{
	(void)of;
	(void)context;
	(void)scans;
	return 0;
}

/* The attribution with the window as it is, then with 1 ns more that no leaf has. */
static int attribute_twice(void *of, const struct device_context *context,
						   const struct device_scan *scan)
{
	int *errors = of;
	for (int more = 0; more < 2; more++) {
		struct device_scan changed = *scan;
		struct reduction part = {0};
		changed.window_to += more;
		CHECK(summary_init(&part.summary) == 0, "no memory");
		errors[more] = device_attribute(context, &changed, &part);
		reduction_free(&part);
	}
	return 0;
}

/* Keeps out: a table whose leaves are not the device's time. */
static void partition(void)
{
	int errors[2] = {1, 1};
	char dir[] = "tests/golden/partition";
	char *dirs[] = {dir};
	const struct run_study study = {
		.of = errors, .begin = nothing, .visit = attribute_twice, .end = nothing};
	const struct reduce_options options = {
		.study = &study, .only_read = true, .whole_run = true, .threads = 1};
	struct reduction out;
	reduce_run(dirs, 1, &options, &out);
	reduction_free(&out);
	CHECK(errors[0] == 0, "the run as it is: error %d", errors[0]);
	CHECK(errors[1] == -ENOTRECOVERABLE, "1 ns too much: error %d", errors[1]);
}

int main(void)
{
	ends_the_program();
	steps();
	windows();
	pieces();
	by_step();
	merged();
	partition();
	return finish();
}
