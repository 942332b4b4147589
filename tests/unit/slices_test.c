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

int main(void)
{
	CHECK(shared(40, whole, mixed), "whole slices");
	CHECK(shared(40, some, mixed), "three quarters are regular");
	CHECK(!shared(40, fewer, mixed), "two thirds are regular");
	CHECK(!shared(40, any, mixed), "lengths of all kinds");
	CHECK(shared(8, whole, mixed) && !shared(7, whole, mixed), "too few");
	CHECK(!shared(40, whole, two), "two places of the program");
	CHECK(!shared(40, one_place, mostly_one), "one place of the program");
	CHECK(shared(1000, whole, mixed) && slices.n == SLICES_MOST, "bounded");
	launches_that_take_long();
	return finish();
}
