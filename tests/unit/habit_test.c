/* A loss that few steps have much more of: their part, and what all have. */
#include "check.h"
#include "conclude/habit.h"
#include "findings_run.h"

enum { BASE = 2500 }; /* us of what all steps have: a finding by itself */

/* A device that synchronises for `us` in `few` steps, every third from the first on, and
 * for `rest_us` in the others. */
static void make_run(struct summary *s, int few, int64_t us, int64_t rest_us)
{
	int64_t by_step[STEPS], sum = 0;
	for (int i = 0; i < STEPS; i++) {
		by_step[i] = i % 3 == 0 && i < 3 * few ? us : rest_us;
		sum += by_step[i];
	}
	begin(s);
	add_device(s, 0, (int64_t[LEAF_COUNT]){[LEAF_HOST_SYNC] = sum / STEPS});
	add_series(s, 0, "idle.host.sync", by_step, STEPS);
}

static struct habit habit_of(int few, int64_t us, int64_t rest_us)
{
	struct summary s;
	struct habit habit;
	make_run(&s, few, us, rest_us);
	const int64_t share = (few * us + (STEPS - few) * rest_us) / STEPS * US;
	CHECK(habit_find(&s, LEAF_BIT(LEAF_HOST_SYNC), share, &habit) == 0, "memory");
	CHECK(habit.steps == 0 || habit.rare_ns + habit.every_ns == share,
		  "the parts are not the whole");
	summary_free(&s);
	return habit;
}

static bool near(int64_t ns, int64_t us)
{
	return ns > us * US * 99 / 100 - US && ns < us * US * 101 / 100 + US;
}

static void parts(void)
{
	struct habit h = habit_of(1, 100000, BASE);
	CHECK(h.steps == 1 && near(h.rare_ns, (100000 - BASE) / STEPS) && near(h.every_ns, BASE),
		  "one step: %lld and %lld", (long long)h.rare_ns, (long long)h.every_ns);
	CHECK(near(h.rare_limit_ns * 200, (100000 - BASE) / STEPS) && near(h.every_limit_ns, BASE),
		  "limits: %lld and %lld", (long long)h.rare_limit_ns, (long long)h.every_limit_ns);
	h = habit_of(6, 40000, BASE);
	CHECK(h.steps == 6 && near(h.rare_ns, 6 * (40000 - BASE) / STEPS), "six of 20: %zu", h.steps);
	CHECK(habit_of(7, 40000, BASE).steps == 0, "more than a third of the steps");
	CHECK(habit_of(6, 8 * BASE - 1, BASE).steps == 0, "less than eight times as much");
	CHECK(habit_of(1, 19 * BASE, BASE).steps == 1 && habit_of(1, 18 * BASE, BASE).steps == 0,
		  "half of the time");
	CHECK(habit_of(0, 0, BASE).steps == 0 && habit_of(0, 0, 0).steps == 0, "all alike");
	CHECK(habit_of(4, 40000, 0).every_ns == 0, "the others have none");
}

/* The rows of a run: which of them is a finding, and that together they are the loss. */
static void rows(void)
{
	static const struct {
		int few;
		int64_t us, rest_us;
		size_t rows;
		bool first_counts;
	} runs[] = {
		{1, 100000, BASE, 2, true}, /* the habit is a finding, the step beside it a low one */
		{1, 200000, 100, 1, true},  /* a step alone: low */
		{0, 0, BASE, 1, true},      /* a habit alone */
		{6, 100000, BASE, 2, true}, /* both are */
		{6, 100000, 100, 1, true},  /* six steps alone */
	};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct summary s;
		struct findings all;
		make_run(&s, runs[i].few, runs[i].us, runs[i].rest_us);
		make(&s, &all);
		int64_t sum = 0;
		for (size_t k = 0; k < all.n; k++)
			sum += all.at[k].share_ns;
		const int64_t whole =
			(runs[i].few * runs[i].us + (STEPS - runs[i].few) * runs[i].rest_us) / STEPS * US;
		CHECK(all.n == runs[i].rows && finding_counts(&all.at[0]) == runs[i].first_counts,
			  "run %zu: %zu rows", i, all.n);
		CHECK(sum == whole, "run %zu: %lld of %lld", i, (long long)sum, (long long)whole);
		if (i == 0)
			CHECK(near(all.at[0].share_ns, BASE) && all.at[1].at_start &&
					  all.at[1].severity == SEVERITY_LOW &&
					  strstr(all.at[0].evidence, "those of few steps, a row of its own") &&
					  strstr(all.at[1].evidence, "beside 2.5 ms in every step"),
				  "the habit before what the first step has: %s", all.at[1].evidence);
		if (i == 3)
			CHECK(finding_counts(&all.at[1]) && all.at[0].share_ns > all.at[1].share_ns,
				  "six steps before the habit");
		done(&s, &all);
	}
}

int main(void)
{
	parts();
	rows();
	return finish();
}
