/* Who is late, step by step (docs/ATTRIBUTION.md section 7): a rank that is late in all steps, in
 * every second or every third one is found, and chance is not. */
#include "check.h"
#include "conclude/late_steps.h"
#include "summary/series.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_STEPS = 400 };

static uint64_t state = 7;

static int64_t draw(int64_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (int64_t)(state >> 33) % below;
}

/* Healthy steps: whoever draws the longest delay causes what the others wait. `like_before`: how
 * many per cent of a delay come from the step before. */
static void healthy(int64_t ns[][MOST_STEPS], int ranks, int steps, int like_before)
{
	int64_t delay[64] = {0};
	for (int step = 0; step < steps; step++) {
		int last = 0;
		int64_t wait = 0;
		for (int rank = 0; rank < ranks; rank++) {
			delay[rank] = (delay[rank] * like_before + draw(1000) * (100 - like_before)) / 100;
			last = delay[rank] > delay[last] ? rank : last;
		}
		for (int rank = 0; rank < ranks; rank++) {
			wait += delay[last] - delay[rank];
			ns[rank][step] = 0;
		}
		ns[last][step] = wait;
	}
}

/* Which rank is late? -1: none. */
static int late_of(int64_t ns[][MOST_STEPS], int ranks, int steps, int left_out)
{
	struct summary s;
	struct late_steps table;
	bool late = false;
	char key[32];
	summary_init(&s);
	for (int rank = 0; rank < ranks; rank++) {
		struct series series = {.rank = rank, .steps = steps, .width = 1, .ns = ns[rank]};
		snprintf(key, sizeof(key), "host/%d", rank);
		summary_late(&s, key, rank);
		summary_series(&s, key, SERIES_CAUSED, &series);
	}
	CHECK(late_steps_open(&table, &s, NULL, 0) == 0, "no table");
	if (left_out >= 0)
		table.out[left_out] = true;
	const size_t column = late_steps_largest(&table);
	if (column < table.n_columns)
		CHECK(late_steps_test(&table, column, &late) == 0, "no test");
	late_steps_close(&table);
	summary_free(&s);
	return late ? (int)column : -1;
}

static void student(void)
{
	static const struct { /* of printed tables */
		double t, above;
		size_t freedom;
	} known[] = {{12.706, 0.025, 1}, {4.303, 0.025, 2},  {3.182, 0.025, 3}, {2.776, 0.025, 4},
				 {3.707, 0.005, 6},  {5.959, 0.0005, 6}, {3.250, 0.005, 9}, {2.750, 0.005, 30},
				 {0, 0.5, 1},        {0, 0.5, 12}};
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		const double above = late_steps_student(known[i].t, known[i].freedom);
		CHECK(fabs(above - known[i].above) < 0.002 * known[i].above, "t(%d) = %.3f: %.6f",
			  (int)known[i].freedom, known[i].t, above);
	}
}

/* The rank with most is not late: at most 2 of 100 by chance, as the limits say. */
static void chance(void)
{
	static int64_t ns[64][MOST_STEPS];
	static const int ranks[] = {2, 3, 4, 8, 32}, like[] = {0, 40};
	for (int b = 0; b < 2; b++) {
		int false_ones = 0, n = 0;
		for (int i = 0; i < 1000; i++, n++) {
			const int r = ranks[i % 5], steps = i % 2 ? 19 : 149;
			healthy(ns, r, steps, like[b]);
			false_ones += late_of(ns, r, steps, -1) >= 0;
		}
		CHECK(false_ones * 50 <= n, "%d of %d healthy runs name a rank", false_ones, n);
	}
}

/* A rank that is late by three times what the others wait for each other, in every n-th step. */
static void power(void)
{
	static int64_t ns[64][MOST_STEPS];
	static const int ranks[] = {2, 4, 8}, steps[] = {19, 149};
	for (int every = 1; every <= 3; every++)
		for (int i = 0; i < 6; i++) {
			const int r = ranks[i % 3], n = steps[i / 3];
			int found = 0;
			for (int run = 0; run < 20; run++) {
				healthy(ns, r, n, 0);
				for (int step = run % every; step < n; step += every)
					ns[1][step] += 2000 * (r - 1);
				found += late_of(ns, r, n, -1) == 1;
			}
			const int least = every == 3 && n == 19 && r == 2 ? 0 : 18;
			CHECK(found >= least, "in every %d. of %d steps, %d ranks: %d of 20", every, n, r,
				  found);
		}
}

/* When one late rank is left out the next one is found, and then none. */
static void next_one(void)
{
	static int64_t ns[64][MOST_STEPS];
	healthy(ns, 8, 60, 0);
	for (int step = 0; step < 60; step++) {
		ns[5][step] += 30000;
		ns[2][step] += 20000;
	}
	CHECK(late_of(ns, 8, 60, -1) == 5 && late_of(ns, 8, 60, 5) == 2, "not both of two");
	for (int step = 0; step < 60; step++)
		ns[2][step] -= 20000;
	CHECK(late_of(ns, 8, 60, 5) == -1, "chance beside a late rank");
	CHECK(late_of(ns, 8, LATE_STEPS_LEAST - 1, -1) == -1, "told from too few steps");
	CHECK(late_of(ns, 1, 60, -1) == -1, "one rank alone");
}

int main(void)
{
	student();
	chance();
	power();
	next_one();
	return finish();
}
