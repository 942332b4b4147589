/* Where a thread that makes records was away: the longest stretches have it, in order of time. */
#include "check.h"

#include <baton/away.h>

int main(void)
{
	struct baton_away a = {.n = 0};
	static const uint64_t lengths[] = {5, 300, 20, 0, 700, 40, 100, 90};
	uint64_t at = 1000;
	for (unsigned i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		baton_away_add(&a, at, at + lengths[i]);
		at += lengths[i];
	}
	CHECK(a.n == BATON_AWAY_STRETCHES, "%u stretches", a.n);
	static const uint64_t longest[] = {300, 700, 100, 90};
	for (unsigned i = 0; i < a.n; i++) {
		CHECK(a.at[i].end - a.at[i].begin == longest[i], "%u: not one of the longest", i);
		CHECK(i == 0 || a.at[i].begin >= a.at[i - 1].end, "%u: not in order of time", i);
	}
	baton_away_divide(&a, 850);
	CHECK(a.at[1].away == 700 && a.at[0].away == 150, "the longest is first filled: %u and %u",
		  (unsigned)a.at[1].away, (unsigned)a.at[0].away);
	CHECK(a.at[2].away == 0 && a.at[3].away == 0, "nothing is left for the short ones");

	struct baton_away small = {.n = 0};
	baton_away_add(&small, 10, 30);
	baton_away_add(&small, 30, 20);
	baton_away_divide(&small, 1000);
	CHECK(small.n == 1 && small.at[0].away == 20, "never more than there is room for");
	return finish();
}
