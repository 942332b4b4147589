/* Which clock cuptiGetTimestamp is, how far off, how fast it drifts, what the clocks cost. */
#include "section.h"

#include "clocks.h"
#include "cupti.h"
#include "result.h"
#include "work.h"

#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t median(int64_t *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
	return values[(count - 1) / 2];
}

/* The drift between the first and the last quarter of the samples, in parts per billion. */
static void tell_drift(const char *name, const struct series *offsets, int64_t span_ns)
{
	size_t quarter = offsets->count / 4, i;
	struct series first = {0}, last = {0};

	for (i = 0; i < quarter; i++) {
		series_add(&first, offsets->values[i]);
		series_add(&last, offsets->values[offsets->count - 1 - i]);
	}
	if (quarter > 0 && span_ns > 0)
		result_value(name, "ppb",
					 (median(last.values, last.count) - median(first.values, first.count)) *
						 1000000000 / (span_ns * 3 / 4));
	free(first.values);
	free(last.values);
}

/* cuptiGetTimestamp minus the middle of two reads of the clock around it. */
static void compare(const char *clock_name, clockid_t clock)
{
	int i, n = work_repeats(400);
	struct series offsets = {0};
	int64_t from = clock_mono(), before, after;
	uint64_t stamp;
	char name[64];

	for (i = 0; i < n; i++) {
		before = clock_ns(clock);
		if (cupti.timestamp(&stamp) != 0)
			break;
		after = clock_ns(clock);
		series_add(&offsets, (int64_t)stamp - (before + (after - before) / 2));
		clock_sleep(5000000);
	}
	snprintf(name, sizeof(name), "cuptiGetTimestamp drift against %s", clock_name);
	tell_drift(name, &offsets, clock_mono() - from);
	snprintf(name, sizeof(name), "cuptiGetTimestamp - %s", clock_name);
	series_tell(&offsets, name, "ns");
}

/* The counter's rate against two clocks, first and second half apart: how steady it is. */
static void tell_ticks(void)
{
	int64_t part = options.quick ? 10000000 : 500000000;
	int64_t mono[3], real[3];
	uint64_t ticks[3];
	int i;

	for (i = 0; i < 3; i++) {
		if (i > 0)
			clock_sleep(part);
		mono[i] = clock_mono();
		ticks[i] = clock_ticks();
		real[i] = clock_real();
	}
	for (i = 0; i < 2; i++) {
		double span = (double)(ticks[i + 1] - ticks[i]);

		result_value("processor counter by MONOTONIC", "Hz",
					 (int64_t)(span * 1e9 / (double)(mono[i + 1] - mono[i])));
		result_value("processor counter by REALTIME", "Hz",
					 (int64_t)(span * 1e9 / (double)(real[i + 1] - real[i])));
	}
}

static void tell_costs(void)
{
	enum { BATCH = 100 };
	struct series mono = {0}, real = {0}, ticks = {0}, stamps = {0};
	volatile uint64_t sink;
	uint64_t stamp;
	int i, j, n = work_repeats(500);
	int64_t from;

	for (i = 0; i < n; i++) {
		from = clock_mono();
		for (j = 0; j < BATCH; j++)
			sink = (uint64_t)clock_mono();
		series_add(&mono, (clock_mono() - from) / BATCH);
		from = clock_mono();
		for (j = 0; j < BATCH; j++)
			sink = (uint64_t)clock_real();
		series_add(&real, (clock_mono() - from) / BATCH);
		from = clock_mono();
		for (j = 0; j < BATCH; j++)
			sink = clock_ticks();
		series_add(&ticks, (clock_mono() - from) / BATCH);
		if (!cupti.timestamp)
			continue;
		from = clock_mono();
		for (j = 0; j < BATCH; j++)
			cupti.timestamp(&stamp);
		series_add(&stamps, (clock_mono() - from) / BATCH);
	}
	(void)sink;
	series_tell(&mono, "one read of MONOTONIC", "ns");
	series_tell(&real, "one read of REALTIME", "ns");
	series_tell(&ticks, "one read of the processor counter", "ns");
	series_tell(&stamps, "one cuptiGetTimestamp", "ns");
}

static void clocks_run(const char *variant)
{
	(void)variant;
	if (!work_init())
		return;
	tell_ticks();
	if (!work_cupti() || !result_have("cuptiGetTimestamp", cupti.timestamp))
		return;
	tell_costs();
	compare("REALTIME", CLOCK_REALTIME);
	compare("MONOTONIC", CLOCK_MONOTONIC);
	compare("MONOTONIC_RAW", CLOCK_MONOTONIC_RAW);
}

const struct section section_clocks = {"clocks", "all", 1, 30, clocks_run};
