/* What CUPTI drops counts until the window is over (shim/drain/gpu_rows.c): the test is CUPTI, drops
 * as many records as it says and hands out none, so what takes records is not linked. */
#include "drain/gpu_rows.h"

#include "base/recording.h"
#include "ring/buffers.h"
#include "sources/cupti/cupti.h"
#include "sources/cupti/cupti_read.h"

#include <stdio.h>

static uint64_t dropped; /* since it was asked last */
static int full;         /* buffers */

uint64_t cupti_dropped(void *context, uint32_t stream)
{
	uint64_t n = dropped;
	(void)context, (void)stream;
	dropped = 0;
	return n;
}

int buffers_next(struct buffer_full *buffer)
{
	*buffer = (struct buffer_full){0};
	return full > 0 ? full-- : 0;
}

void buffers_give_back(const struct buffer_full *buffer)
{
	(void)buffer;
}

void cupti_read(const uint8_t *bytes, size_t valid, void (*each)(const struct gpu_record *))
{
	(void)bytes, (void)valid, (void)each;
}

static int wrong(const char *what, uint64_t expected)
{
	uint64_t lost = gpu_rows_counts().lost;
	if (lost == expected)
		return 0;
	fprintf(stderr, "%s: %llu lost, not %llu\n", what, (unsigned long long)lost,
			(unsigned long long)expected);
	return 1;
}

int main(void)
{
	int failures = 0;
	gpu_rows_open(NULL, NULL);
	dropped = 3, full = 1;
	gpu_rows_take(false);
	failures += wrong("with a buffer", 3);
	dropped = 4;
	gpu_rows_window_over();
	failures += wrong("as the window ends", 7);
	dropped = 1000, full = 1;
	gpu_rows_take(false);
	dropped = 1000;
	gpu_rows_take_dropped();
	failures += wrong("after the window", 7);
	gpu_rows_open(NULL, NULL);
	dropped = 5;
	gpu_rows_take_dropped();
	failures += wrong("the next recording", 5);
	return failures > 0;
}
