/* A GPU's clock that runs early is found, and one that is right is left alone. */
#include "base/lag_floor.h"
#include "import/gpu_clock.h"

#include "check.h"

#define US 1000
#define CALL_NS 5000000

/* Launches every 20 us, from id `first` on, whose work starts `lag_ns` later. */
static void add(struct gpu_clock *clock, uint64_t first, uint32_t n, int64_t lag_ns)
{
	for (uint32_t i = 0; i < n; i++) {
		int64_t call_ns = CALL_NS + (int64_t)i * 20 * US;
		CHECK(gpu_clock_op(clock, first + i, call_ns + lag_ns + i % 4) == 0, "no memory");
		CHECK(gpu_clock_call(clock, first + i, call_ns) == 0, "no memory");
	}
}

static int64_t shift_of(uint32_t n, int64_t lag_ns)
{
	struct gpu_clock clock = {0};
	add(&clock, 1, n, lag_ns);
	int64_t shift_ns = gpu_clock_shift_ns(&clock);
	gpu_clock_free(&clock);
	return shift_ns;
}

static void test_floors(void)
{
	CHECK(shift_of(100, 7 * US) == 0, "a clock that is right is moved");
	CHECK(shift_of(100, 0) == 0, "work that starts with its launch is moved");
	CHECK(shift_of(100, -27 * US) == 31 * US, "a clock that is 27 us early: %lld",
		  (long long)shift_of(100, -27 * US));
	CHECK(shift_of(2, -27 * US) == 0, "two launches make a clock early");
	CHECK(shift_of(100, -3000 * US) == 0, "3 ms early is taken for a clock");
	CHECK(shift_of(0, 0) == 0, "an empty file is moved");
}

/* One op with a wrong time, or with another one's correlation id, is no clock. */
static void test_stray(void)
{
	struct gpu_clock clock = {0};
	add(&clock, 1, 100, 7 * US);
	add(&clock, 1000, 2, -50 * US);
	CHECK(gpu_clock_shift_ns(&clock) == 0, "two stray records move the clock");
	add(&clock, 2000, 50, -20 * US);
	CHECK(gpu_clock_shift_ns(&clock) == 24 * US, "stray records decide by how much: %lld",
		  (long long)gpu_clock_shift_ns(&clock));
	gpu_clock_free(&clock);
}

/* A launch of several ops counts once, by its first; the outermost of several calls is the launch.
 * Without a call, an op or an id there is nothing to compare. */
static void test_joins(void)
{
	struct gpu_clock clock = {0};
	for (uint64_t id = 1; id <= 10; id++) {
		gpu_clock_call(&clock, id, CALL_NS + 9 * US);
		gpu_clock_call(&clock, id, CALL_NS);
		gpu_clock_op(&clock, id, CALL_NS + 40 * US);
		gpu_clock_op(&clock, id, CALL_NS + 6 * US);
		gpu_clock_op(&clock, 0, CALL_NS - 50 * US);
		gpu_clock_op(&clock, 100 + id, CALL_NS - 50 * US);
	}
	CHECK(gpu_clock_shift_ns(&clock) == 0, "work is compared with what did not launch it");
	for (uint64_t id = 1; id <= 3; id++)
		gpu_clock_op(&clock, id, CALL_NS - 6 * US);
	CHECK(gpu_clock_shift_ns(&clock) == 10 * US, "the first op of a launch is not looked at");
	gpu_clock_free(&clock);
}

/* Memory does not follow the number of launches, and a part of them tells the same. */
static void test_many(void)
{
	struct gpu_clock clock = {0};
	add(&clock, 1, 3 * GPU_CLOCK_MOST, -12 * US);
	CHECK(clock.n <= GPU_CLOCK_MOST && clock.thinned > 0, "%zu pairs are kept", clock.n);
	CHECK(gpu_clock_shift_ns(&clock) == 16 * US, "not found among many: %lld",
		  (long long)gpu_clock_shift_ns(&clock));
	gpu_clock_free(&clock);
}

int main(void)
{
	test_floors();
	test_stray();
	test_joins();
	test_many();
	return finish();
}
