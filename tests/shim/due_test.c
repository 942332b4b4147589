/* Which of the GPU records that CUPTI dropped were lost (shim/drain/due.c): the test is the rest of
 * the recorder. CUPTI counts its own overhead among them, so no more are lost than are missing,
 * unless the slot of a copy or of a graph was dropped too (shim/ring/lane.h). */
#include "drain/due.h"

#include "drain/gpu_rows.h"
#include "drain/trace_rows.h"
#include "ring/lane.h"
#include "ring/live.h"
#include "sources/cupti/cupti_window.h"

#include <baton/drain.h>
#include <stdio.h>
#include <string.h>

enum { LAUNCHES = 100, KERNELS = 60, MISSING = LAUNCHES - KERNELS, LOST = 70 };

static _Alignas(64) uint8_t room[sizeof(struct baton_live) + 64 + 2 * sizeof(struct baton_lane)];
struct baton_live *live;

struct gpu_rows_counts gpu_rows_counts(void)
{
	return (struct gpu_rows_counts){.lost = LOST};
}

unsigned cupti_window_inside(void)
{
	return 0;
}

static bool left;
bool trace_rows_left(void)
{
	return left;
}

/* Of two lanes, the second one drops a slot. */
static int wrong(const char *what, struct baton_slot slot, uint64_t expected)
{
	const struct baton_drain drain = {.launches = LAUNCHES, .kernels = KERNELS};
	memset(room, 0, sizeof(room));
	live = (struct baton_live *)room;
	live->lanes_offset = (sizeof(*live) + 63) & ~(uint64_t)63;
	atomic_store(&live->lanes_used, 2);
	lane_drop(live_lane(1), &slot);
	const uint64_t lost = due_lost(&drain);
	if (lost == expected)
		return 0;
	fprintf(stderr, "a dropped %s: %llu lost, not %llu\n", what, (unsigned long long)lost,
			(unsigned long long)expected);
	return 1;
}

int main(void)
{
	const struct baton_slot launch = {.type = BATON_SLOT_CALL, .flags = BATON_SLOT_MAKES_OP},
							copy = {.type = BATON_SLOT_CALL, .flags = BATON_SLOT_MAKES_COPY},
							graph = {.type = BATON_SLOT_CALL, .flags = BATON_SLOT_MAKES_GRAPH},
							call = {.type = BATON_SLOT_CALL},
							silence = {.type = BATON_SLOT_SCHED, .flags = 255};
	int failures = wrong("launch", launch, MISSING);
	failures += wrong("call that makes nothing", call, MISSING);
	failures += wrong("silence", silence, MISSING); /* its flags are a part of a stack's id */
	failures += wrong("copy", copy, LOST);
	failures += wrong("graph", graph, LOST);
	left = true; /* launches that are not counted yet */
	failures += wrong("launch, while slots are left in the rings", launch, LOST);
	return failures > 0;
}
