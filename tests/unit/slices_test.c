/* A GPU that another process uses: gaps that are whole slices long, whatever kernel ends them. Keeps
 * out: a wait of the program's own, as long in each step, taken for that. */
#include "attribute/slices.h"
#include "check.h"

enum { SLICE = 2400000 };

static struct slices slices;

static bool shared(size_t n, int64_t (*length)(size_t i), uint64_t (*kernel)(size_t i))
{
	slices.n = 0;
	for (size_t i = 0; i < n; i++)
		slices_add(&slices, length(i), SLICE_LATE_NS, kernel(i));
	return slices_shared(&slices);
}

static int64_t whole(size_t i)
{
	return SLICE * (int64_t)(1 + i % 3) + (i % 2 ? 20000 : -20000);
}

static int64_t any(size_t i)
{
	return SLICE + (int64_t)(i * 7919 % 100) * SLICE / 50;
}

static int64_t some(size_t i) /* a quarter is anything */
{
	return i % 4 < 3 ? whole(i) : SLICE * 5 / 2;
}

static int64_t fewer(size_t i)
{
	return i % 3 ? whole(i) : SLICE * 5 / 2;
}

static uint64_t mixed(size_t i)
{
	return i % 5;
}

static uint64_t two(size_t i)
{
	return i % 2;
}

/* One place has nearly all, and those of the other kernels are as long as they like. */
static int64_t one_place(size_t i)
{
	return i < 4 ? SLICE * (int64_t)(3 + i) / 2 : SLICE;
}

static uint64_t mostly_one(size_t i)
{
	return i < 4 ? i : 9;
}

/* Keeps out: a machine whose every launch takes longer than SLICE_LATE_NS taken for a shared one. */
static void launches_that_take_long(void)
{
	slices.n = 0;
	slices_add(&slices, SLICE, SLICE_LATE_NS - 1, 0);
	CHECK(slices.n == 0, "not late at all");
	for (size_t i = 0; i < 40; i++)
		slices_add(&slices, whole(i), 150000 + (i % 10 == 9 ? SLICE : 0), mixed(i));
	slices_keep_late(&slices, 155000);
	CHECK(slices.n == 4 && slices.ns[3] == whole(39) && slices.kernels[3] == mixed(39),
		  "later than others");
	slices_keep_late(&slices, INT64_MAX);
	CHECK(slices.n == 0, "no launch known");
}

/* Of one kernel, whose launches end at `launched_ns` in the gap. */
static bool shared_by(int64_t (*length)(size_t i), int64_t (*launched_ns)(size_t i))
{
	slices.n = 0;
	for (size_t i = 0; i < 40; i++)
		slices_add(&slices, length(i), length(i) - launched_ns(i), 7);
	return slices_shared(&slices);
}

static int64_t whole_and_even(size_t i)
{
	return SLICE * (int64_t)(1 + i % 2) + (int64_t)(i % 5) * 1000;
}

static int64_t varying_launch(size_t i)
{
	return 30000 + (int64_t)(i * 37 % 20) * 8000;
}

static int64_t even_launch(size_t i)
{
	return 30000 + (int64_t)(i * 37 % 20) * 400;
}

static int64_t after_launch(size_t i)
{
	return varying_launch(i) + SLICE;
}

/* Keeps out: slices that meet the same kernel in each step, as at the head of a pipeline's, taken for
 * the program's own wait; and such a wait taken for slices. */
static void one_kernel(void)
{
	CHECK(shared_by(whole_and_even, varying_launch), "whatever comes later, the start is the same");
	CHECK(!shared_by(whole_and_even, even_launch), "the launch comes at one time too");
	CHECK(!shared_by(after_launch, varying_launch), "the start follows the launch");
}

int main(void)
{
	CHECK(shared(40, whole, mixed), "whole slices");
	CHECK(shared(40, some, mixed), "three quarters are regular");
	CHECK(!shared(40, fewer, mixed), "two thirds are regular");
	CHECK(!shared(40, any, mixed), "lengths of all kinds");
	CHECK(shared(6, whole, mixed) && !shared(5, whole, mixed), "too few");
	CHECK(!shared(40, whole, two), "two places of the program");
	CHECK(!shared(40, one_place, mostly_one), "one place of the program");
	CHECK(shared(1000, whole, mixed) && slices.n == SLICES_MOST, "bounded");
	launches_that_take_long();
	one_kernel();
	return finish();
}
