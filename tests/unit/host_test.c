/* What a thread was doing: which of several rows that hold at one instant decides the leaf. */
#include "attribute/host.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

enum { CALL = HOST_MASK(HOST_BIT_CALL) };

static struct opstream stream; /* no launches: no queue is full */

static uint32_t no_core_name; /* of the piece without a core that explain() met */

/* The ns of each leaf in [0, 1000), of an owner with these rows. */
static void explain(struct host_rec *rows, size_t n, int64_t leaf_ns[LEAF_COUNT])
{
	struct timeline owner = {.open = rows,
							 .n_open = n,
							 .last_driving_end = INT64_MIN,
							 .last_row_end = INT64_MIN},
					common = {.open = NULL};
	struct host_part all = {0, 1000};
	struct host_span span = {.parts = &all,
							 .n_parts = 1,
							 .launch = 1000,
							 .owner = &owner,
							 .common = &common,
							 .stream = &stream};
	struct host_scratch scratch = {0};
	struct pieces pieces = {0};
	CHECK(host_explain(&span, &scratch, &pieces) == 0, "no memory");
	memset(leaf_ns, 0, LEAF_COUNT * sizeof(*leaf_ns));
	for (size_t i = 0; i < pieces.n; i++) {
		leaf_ns[pieces.at[i].leaf] += pieces.at[i].to - pieces.at[i].from;
		if (pieces.at[i].leaf == LEAF_HOST_NO_CORE)
			no_core_name = pieces.at[i].name;
	}
	free(pieces.at);
	host_scratch_free(&scratch);
}

/* Keeps out: a thread that has no core in the middle of a call is told to make the call cheaper. */
static void without_a_core(uint32_t mask, enum leaf leaf)
{
	struct host_rec rows[] = {
		{.start = 100, .end = 900, .name = 7, .mask = (uint16_t)mask},
		{.start = 300, .end = 500, .mask = HOST_MASK(HOST_BIT_NO_CORE) | HOST_MASK(HOST_BIT_AWAKE)},
		{.start = 500, .end = 600, .mask = HOST_MASK(HOST_BIT_AWAKE)},
	};
	int64_t ns[LEAF_COUNT];
	explain(rows, 3, ns);
	CHECK(ns[LEAF_HOST_NO_CORE] == 200, "beside %s: %lld of 200 ns without a core", leaf_name(leaf),
		  (long long)ns[LEAF_HOST_NO_CORE]);
	CHECK(ns[leaf] == 600, "%lld of 600 ns are %s", (long long)ns[leaf], leaf_name(leaf));
}

static void no_core_comes_first(void)
{
	without_a_core(CALL | HOST_MASK(HOST_BIT_ALLOC), LEAF_HOST_ALLOC);
	CHECK(no_core_name == 7, "what allocates is named");
	without_a_core(CALL | HOST_MASK(HOST_BIT_MODULE_LOAD), LEAF_HOST_MODULE_LOAD);
	without_a_core(CALL | HOST_MASK(HOST_BIT_NCCL_HOST), LEAF_HOST_NCCL_HOST);
	without_a_core(CALL | HOST_MASK(HOST_BIT_SYNC), LEAF_HOST_SYNC);
	without_a_core(CALL, LEAF_CPU_API);
	CHECK(no_core_name == 0, "what costs nothing is not named");
	without_a_core(HOST_MASK(HOST_BIT_INPUT), LEAF_HOST_INPUT);
	without_a_core(HOST_MASK(HOST_BIT_PROFILER), LEAF_TOOL_PROFILER);
}

/* Keeps out: parts of one owner that lose a row, or take the time between them. */
static void parts_of_one_owner(void)
{
	struct host_rec rows[] = {
		{.start = 50, .end = 600, .mask = CALL},
		{.start = 300, .end = 350, .mask = CALL | HOST_MASK(HOST_BIT_SYNC)},
		{.start = 650, .end = 5000, .mask = HOST_MASK(HOST_BIT_BLOCKED)},
	};
	struct host_part parts[] = {{100, 200}, {320, 700}, {800, 4000}};
	struct timeline owner = {.open = rows, .n_open = 3, .last_driving_end = 0}, common = {0};
	struct host_span span = {.parts = parts,
							 .n_parts = 3,
							 .launch = 4000,
							 .owner = &owner,
							 .common = &common,
							 .stream = &stream};
	const struct piece expected[] = {{.from = 100, .to = 200, .leaf = LEAF_CPU_API},
									 {.from = 320, .to = 350, .leaf = LEAF_HOST_SYNC},
									 {.from = 350, .to = 600, .leaf = LEAF_CPU_API},
									 {.from = 600, .to = 650, .leaf = LEAF_CPU_FRAMEWORK},
									 {.from = 650, .to = 700, .leaf = LEAF_HOST_BLOCKED},
									 {.from = 800, .to = 4000, .leaf = LEAF_HOST_BLOCKED}};
	struct host_scratch scratch = {0};
	struct pieces pieces = {0};
	CHECK(host_explain(&span, &scratch, &pieces) == 0 && pieces.n == 6, "%zu pieces of 6",
		  pieces.n);
	for (size_t i = 0; i < pieces.n && i < 6; i++)
		CHECK(pieces.at[i].from == expected[i].from && pieces.at[i].to == expected[i].to &&
				  pieces.at[i].leaf == expected[i].leaf,
			  "piece %zu: [%lld, %lld) %s", i, (long long)pieces.at[i].from,
			  (long long)pieces.at[i].to, leaf_name(pieces.at[i].leaf));
	free(pieces.at);
	host_scratch_free(&scratch);
}

/* The name with most framework time in [0, 1000), the gap, of a thread in these ranges. */
static uint32_t name_in(struct host_rec *rows, size_t n)
{
	struct host_part all = {0, 1000};
	struct timeline owner = {.open = rows, .n_open = n, .last_driving_end = 0}, common = {0};
	struct host_span span = {.parts = &all,
							 .n_parts = 1,
							 .gap = all,
							 .launch = 1000,
							 .owner = &owner,
							 .common = &common,
							 .stream = &stream};
	struct host_scratch scratch = {0};
	struct pieces pieces = {0};
	int64_t ns[10] = {0};
	uint32_t most = 0;
	CHECK(host_explain(&span, &scratch, &pieces) == 0, "no memory");
	for (size_t i = 0; i < pieces.n; i++)
		ns[pieces.at[i].name % 10] += pieces.at[i].to - pieces.at[i].from;
	for (uint32_t name = 0; name < 10; name++)
		most = ns[name] > ns[most] ? name : most;
	free(pieces.at);
	host_scratch_free(&scratch);
	return most;
}

/* Keeps out: a gap of one operator that is named after one of the many that it calls, and one that
 * is named after a range around all of it, which says nothing. */
static void the_range_of_a_gap(void)
{
	struct host_rec rows[] = {
		{.start = -10, .end = 1100, .name = 1, .category = 4, .mask = HOST_MASK(HOST_BIT_STEP)},
		{.start = 100, .end = 800, .name = 2, .category = 4},
		{.start = 100, .end = 700, .name = 3, .category = 4},
		{.start = 200, .end = 500, .name = 4, .category = 4},
		{.start = 820, .end = 840, .name = 5, .category = 4},
	};
	CHECK(name_in(rows, 5) == 2, "the outermost range in the gap, not %u", name_in(rows, 5));
	rows[1].start = -2000;
	CHECK(name_in(rows, 5) == 3, "a range mostly outside of the gap, %u", name_in(rows, 5));
	rows[2].end = 550, rows[3].end = 600;
	CHECK(name_in(rows, 5) == 4, "without one the innermost ranges, not %u", name_in(rows, 5));
}

int main(void)
{
	no_core_comes_first();
	parts_of_one_owner();
	the_range_of_a_gap();
	return finish();
}
