/* The time tree: what the report prints below a heading adds up to it. */
#include "check.h"
#include "conclude/time_tree.h"

#include <stdbool.h>

/* The leaves of the rows from `row` on, until one of this level or above; no leaf twice. */
static uint64_t below(int row, enum time_level level)
{
	uint64_t leaves = 0;
	for (; row < TIME_ROWS && time_tree[row].level > level; row++) {
		const bool gathers = row + 1 < TIME_ROWS && time_tree[row].level == TIME_ROW &&
							 time_tree[row + 1].level == TIME_PART;
		if (gathers) /* its parts count */
			continue;
		CHECK((leaves & time_tree[row].leaves) == 0, "%s has a leaf that stands above it",
			  time_tree[row].label);
		leaves |= time_tree[row].leaves;
	}
	return leaves;
}

int main(void)
{
	for (int row = 0; row < TIME_ROWS; row++) {
		const struct time_row *r = &time_tree[row];
		uint64_t parts = below(row + 1, r->level);
		CHECK(r->level == TIME_PART || parts == 0 || parts == r->leaves,
			  "%s is not the sum of the rows below it", r->label);
		CHECK(r->level != TIME_HEAD || parts, "%s has no rows", r->label);
	}
	return finish();
}
