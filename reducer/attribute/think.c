#include "attribute/think.h"

#include "base/room.h"
#include "summary/series.h"

#include <stdlib.h>

int think_open(struct think *think, const struct steps *steps, uint32_t n_threads, size_t most)
{
	*think = (struct think){.steps = steps, .step = STEP_BEFORE};
	think->width = series_width(steps->n_steps, most);
	think->n_cells = series_cells(steps->n_steps, think->width);
	think->ends = malloc((n_threads + 1) * sizeof(*think->ends));
	think->median_ns = calloc(think->n_cells + 1, sizeof(*think->median_ns));
	think->calls = calloc(think->n_cells + 1, sizeof(*think->calls));
	if (!think->ends || !think->median_ns || !think->calls)
		return -ENOMEM;
	for (uint32_t i = 0; i <= n_threads; i++)
		think->ends[i] = INT64_MIN;
	if (think->n_cells == 0) { /* no call is of a step */
		think->from = INT64_MIN;
		think->to = INT64_MAX;
	}
	return 0;
}

void think_close(struct think *think)
{
	free(think->ends);
	free(think->median_ns);
	free(think->calls);
	free(think->gaps);
	*think = (struct think){0};
}

enum { DIGIT = 10 }; /* bits: two digits hold every gap */
_Static_assert(THINK_NS < 1 << 2 * DIGIT, "a gap has two digits");

/* The digit of the *k-th smallest, from 0; *k becomes its place among those with that digit. */
static uint32_t digit_of(const uint32_t counts[2][1 << DIGIT], size_t *k)
{
	uint32_t digit = 0;
	for (size_t here; *k >= (here = counts[0][digit] + counts[1][digit]); digit++)
		*k -= here;
	return digit;
}

/* The k-th smallest gap, from 0. They are counted by their digits, for which no branch depends on
 * them; in two tables, because neighbours often share a digit. */
static uint32_t smallest(const uint32_t *at, size_t n, size_t k)
{
	uint32_t high[2][1 << DIGIT] = {{0}}, low[2][1 << DIGIT] = {{0}};
	for (size_t i = 0; i < n; i++)
		high[i % 2][at[i] >> DIGIT]++;
	const uint32_t first = digit_of(high, &k);
	for (size_t i = 0; i < n; i++)
		low[i % 2][at[i] & ((1 << DIGIT) - 1)] += at[i] >> DIGIT == first;
	return first << DIGIT | digit_of(low, &k);
}

/* The step is over: the lower median of its gaps. */
static void end_step(struct think *think)
{
	if (think->step >= 0 && think->n_gaps)
		think->median_ns[think->cell] +=
			smallest(think->gaps, think->n_gaps, (think->n_gaps - 1) / 2);
	think->n_gaps = 0;
}

void think_turn(struct think *think, int64_t begin)
{
	const int32_t step = steps_around(think->steps, begin, &think->from, &think->to);
	if (step != think->step)
		end_step(think);
	think->step = step;
	think->cell = step < 0 ? 0 : (size_t)(step / think->width);
}

int think_room(struct think *think)
{
	return room_for((void **)&think->gaps, think->n_gaps, &think->room, 1024, sizeof(*think->gaps));
}

int think_store(struct think *think, struct summary *summary, int32_t rank, const char *device)
{
	struct series series = {.rank = rank,
							.steps = think->steps->n_steps,
							.width = think->width,
							.ns = think->median_ns};
	if (think->n_cells == 0)
		return 0;
	end_step(think);
	int error = summary_series(summary, device, SERIES_THINK, &series);
	series.ns = think->calls;
	return error ? error : summary_series(summary, device, SERIES_CALLS, &series);
}
