#include "sources.h"

#include "base/recording.h"
#include "sources/cupti/cupti.h"
#include "sources/nccl/nccl_comm.h"
#include "sources/silence/silence.h"
#include "sources/stacks/stacks.h"
#include "sources/torch/backward.h"

#include <stddef.h>

struct source { /* NULL: nothing to do */
	void (*start)(void);
	void (*stop)(bool goes_on);
	void (*forget)(void);
};

/* Before CUPTI is told to stop: or what torch.profiler switches off meanwhile would be kept on for
 * us, and nobody would switch it off. After the sampler, whose last rows are the window's. */
static void window_is_over(bool goes_on)
{
	if (goes_on)
		recording_move(RECORDING_ENDING, RECORDING_OVER);
}

static const struct source sources[] = {
	{silence_start, silence_stop, silence_forget},
	{NULL, window_is_over, NULL},
	{NULL, cupti_stop, cupti_forget}, /* started by whoever opens the window, who has to know */
	{NULL, NULL, stacks_forget},
	{NULL, NULL, backward_forget},
	{NULL, NULL, nccl_comm_forget},
};
enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };

void sources_start(void)
{
	for (size_t i = 0; i < SOURCES; i++)
		if (sources[i].start)
			sources[i].start();
}

void sources_stop(bool goes_on)
{
	for (size_t i = 0; i < SOURCES; i++)
		if (sources[i].stop)
			sources[i].stop(goes_on);
}

void sources_forget(void)
{
	for (size_t i = 0; i < SOURCES; i++)
		if (sources[i].forget)
			sources[i].forget();
}
