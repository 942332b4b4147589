/* The gate for impossible times, with rows made here. */
#include "import/plausible.h"

#include <stdio.h>

#define HOUR ((int64_t)3600 * 1000000000)
#define BASE ((int64_t)1700000000 * 1000000000)

static int failed;

static void check(bool ok, const char *keeps_out)
{
	if (ok)
		return;
	printf("%s\n", keeps_out);
	failed = 1;
}

struct seen {
	uint32_t n;
	int64_t last_start;
	bool in_order;
};

static void accept(void *context, const struct plausible_row *row)
{
	struct seen *seen = context;
	if (seen->n > 0 && row->columns[ROW_START] <= seen->last_start)
		seen->in_order = false;
	seen->last_start = row->columns[ROW_START];
	seen->n++;
}

static struct plausible gate;
static struct seen seen;

static void begin(void)
{
	plausible_free(&gate);
	seen = (struct seen){.in_order = true};
	check(plausible_init(&gate, accept, &seen) == 0, "the gate cannot be made");
}

static void add(enum baton_kind kind, int64_t start, int64_t dur)
{
	struct plausible_row row = {.columns = {start, dur}, .kind = kind};
	plausible_add(&gate, &row);
}

static void test_short_file(void)
{
	begin();
	for (int i = 0; i < 10; i++)
		add(BATON_OP, BASE + i, 5);
	check(seen.n == 0, "rows pass before the centre is known");
	plausible_finish(&gate);
	check(seen.n == 10, "rows of a short file are lost");
	check(seen.in_order, "held rows change their order");
	check(plausible_refused(&gate) == 0, "good rows are refused");
	plausible_finish(&gate);
	check(seen.n == 10, "finishing twice repeats rows");
}

/* A profiler that begins with records of another clock: the first rows are the bad ones. */
static void test_bad_head(void)
{
	begin();
	for (int i = 0; i < 100; i++)
		add(BATON_OP, BASE - 100000 * (int64_t)1000000000 + i, 5);
	for (int i = 0; i < 2000; i++)
		add(BATON_OP, BASE + i, 5);
	check(seen.n == 2000, "records of another clock at the head decide the centre");
	check(plausible_refused(&gate) == 100, "records of another clock are not counted");
}

static void test_held_exactly(void)
{
	begin();
	for (int i = 0; i < PLAUSIBLE_HELD - 1; i++)
		add(BATON_CALL, BASE + i, 0);
	check(seen.n == 0, "rows pass one row too early");
	add(BATON_CALL, BASE + PLAUSIBLE_HELD, 0);
	check(seen.n == PLAUSIBLE_HELD, "the gate does not open after 1,024 rows");
	add(BATON_CALL, BASE + 2 * PLAUSIBLE_HELD, 0);
	check(seen.n == PLAUSIBLE_HELD + 1, "rows after the centre is known are held");
}

static void test_limits(void)
{
	begin();
	for (int i = 0; i < 3; i++)
		add(BATON_OP, BASE, 5);
	add(BATON_OP, BASE + 12 * HOUR, 5);
	add(BATON_OP, BASE - 12 * HOUR, 5);
	add(BATON_OP, BASE, 7 * 24 * HOUR);
	add(BATON_OP, BASE, 0);
	plausible_finish(&gate);
	check(seen.n == 7 && plausible_refused(&gate) == 0, "values on the limits are refused");
	add(BATON_OP, BASE + 12 * HOUR + 1, 5);
	add(BATON_OP, BASE - 12 * HOUR - 1, 5);
	add(BATON_OP, BASE, 7 * 24 * HOUR + 1);
	add(BATON_OP, BASE, -1);
	check(seen.n == 7 && plausible_refused(&gate) == 4, "values beyond the limits pass");
}

static void test_extremes(void)
{
	begin();
	add(BATON_OP, INT64_MAX, INT64_MAX);
	add(BATON_OP, INT64_MIN, INT64_MIN);
	add(BATON_OP, INT64_MIN, 0);
	add(BATON_OP, INT64_MAX, 0);
	add(BATON_RANGE, BASE, 1);
	plausible_finish(&gate);
	check(seen.n == 1, "extreme times wrap around the limits");
	check(gate.refused[0] == 4 && gate.refused[BATON_RANGE - BATON_OP] == 0,
		  "refused rows are counted for another table");
}

int main(void)
{
	test_short_file();
	test_bad_head();
	test_held_exactly();
	test_limits();
	test_extremes();
	plausible_free(&gate);
	return failed;
}
