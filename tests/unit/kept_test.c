/* Keeps out: counts of what was left out that are lost when the clock was set back; sums of hostile
 * numbers that wrap. */
#include "check.h"
#include "read/kept.h"

#include <baton/reader.h>

static struct baton_entry rows[] = {
	{.kind = BATON_RECORDS, .rows = 3, .t_max_ns = 0},
	{.kind = BATON_OP, .rows = 2, .t_max_ns = 5000},
	{.kind = BATON_CALL, .rows = 2, .t_max_ns = 4000},
	{.kind = BATON_CALL, .rows = 0, .t_max_ns = 9000},
};
static const struct baton_reader reader = {.entries = rows, .n_entries = 4};

static struct kept_part kept(int64_t begin_ns, int64_t from_ns, uint64_t launches)
{
	const struct baton_r_kept record = {.keep_ns = 1000,
										.begin_ns = begin_ns,
										.from_ns = from_ns,
										.launches = launches,
										.kernels = 7};
	return kept_part_of(&reader, &record);
}

static void is_none(struct kept_part part, const char *what)
{
	CHECK(part.before_ns == 0 && part.kept_ns == 0 && part.launches == 0 && part.kernels == 0, "%s",
		  what);
}

int main(void)
{
	struct kept_part part = kept(1000, 3000, 42);
	CHECK(part.before_ns == 2000 && part.kept_ns == 2000, "%lld, %lld", (long long)part.before_ns,
		  (long long)part.kept_ns);
	CHECK(part.launches == 42 && part.kernels == 7, "%llu", (unsigned long long)part.launches);
	part = kept(1000, 8000, 42);
	CHECK(part.kept_ns == 0 && part.launches == 42, "set back in the part that is here");
	part = kept(4000, 3000, 42);
	CHECK(part.before_ns == 1 && part.launches == 42, "set back before it");
	is_none(kept(INT64_MIN, INT64_MAX, 42), "a length that wraps");
	is_none(kept(INT64_MIN, 0, 42), "a length that wraps");
	is_none(kept(0, INT64_MAX, 42), "a time beyond the limit");
	is_none(kept(1000, 3000, UINT64_MAX), "launches that wrap");
	const struct baton_r_kept empty = {0};
	is_none(kept_part_of(&reader, &empty), "no record");
	return finish();
}
