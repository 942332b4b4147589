/* The simulator's distributions: in order, in the published ranges, the same on every machine.
 * Keeps out: a regenerated table with another meaning (microseconds for nanoseconds), draws that
 * leave it. */
#include "check.h"
#include "virtual/draw/rng.h"
#include "virtual/draw/tables.h"

#include <stdbool.h>
#include <string.h>

static const struct { /* what facts about real machines allow for the median */
	enum sim_table table;
	int64_t least, most;
} medians[] = {{TABLE_LAUNCH_CALL, 2000, 10000}, {TABLE_LAUNCH_FLOOR, 1024, 2048},
			   {TABLE_QUEUED_GAP, 500, 3000},    {TABLE_HOST_GAP, 5000, 50000},
			   {TABLE_CALL_SHORT, 200, 5000},    {TABLE_SYNC_WAKE, 2000, 20000},
			   {TABLE_GEMM, 5000, 200000},       {TABLE_CONV, 5000, 500000},
			   {TABLE_POINTWISE, 1000, 20000},   {TABLE_COPY_KERNEL, 1000, 50000},
			   {TABLE_REPEAT, 1000, 1048},       {TABLE_NCCL, 10000, 1000000}};

static void ordered(enum sim_table table)
{
	int64_t before = table_draw(table, 0), most = table_draw(table, UINT64_MAX);
	bool in_order = true, inside = true;
	for (uint64_t i = 0; i < 4096; i++) {
		int64_t now = table_draw(table, i << 52), any = table_draw(table, rng_hash(7, i, table, 0));
		in_order &= now >= before;
		inside &= any >= table_draw(table, 0) && any <= most;
		before = now;
	}
	CHECK(in_order, "table %d is not in order", (int)table);
	CHECK(inside, "a draw leaves table %d", (int)table);
	CHECK(table_draw(table, (uint64_t)1 << 63) == table_median(table), "the median of table %d",
		  (int)table);
}

int main(void)
{
	for (int table = 0; table < TABLE_COUNT; table++)
		ordered((enum sim_table)table);
	for (size_t i = 0; i < sizeof(medians) / sizeof(medians[0]); i++) {
		int64_t median = table_median(medians[i].table);
		CHECK(median >= medians[i].least && median <= medians[i].most, "table %d: median %lld",
			  (int)medians[i].table, (long long)median);
	}
	for (int table = TABLE_GEMM; table <= TABLE_LOSS; table++)
		CHECK(strlen(table_kernel_name((enum sim_table)table, 12345)) > 3, "table %d has no names",
			  table);
	CHECK(rng_mix(0) == UINT64_C(0xe220a8397b1dcdaf), "the first output of splitmix64 from seed 0");
	CHECK(rng_hash(1, 2, 3, 4) != rng_hash(1, 2, 4, 3), "places are told apart");
	CHECK(rng_below(UINT64_MAX, 10) == 9 && rng_below(0, 10) == 0 && rng_below(5, 0) == 0,
		  "the ends of a range");
	return finish();
}
