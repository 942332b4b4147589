#include "attribute/think.h"

#include "base/kth_smallest.h"
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

enum { THINK_BITS = 20 };
_Static_assert(THINK_NS < 1 << THINK_BITS, "a gap has so many bits");

/* The step is over: the lower median of its gaps. */
static void end_step(struct think *think)
{
	if (think->step >= 0 && think->n_gaps)
		think->median_ns[think->cell] +=
			kth_smallest(think->gaps, think->n_gaps, (think->n_gaps - 1) / 2, THINK_BITS);
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
