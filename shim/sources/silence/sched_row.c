#include "sources/silence/sched_row.h"

#include "ring/lane.h"
#include "ring/live.h"
#include "sources/silence/holder.h"

/* What a slot can hold, some 4 s. A row is longer only when the sampler itself did not get to run.
 */
static uint32_t in_slot(uint64_t ns)
{
	return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

void sched_row_put(const struct sched_row *row)
{
	struct baton_lane *lane = lane_here();
	struct baton_slot slot = {.begin = row->begin,
							  .end = row->end,
							  .name = row->thread,
							  .type = BATON_SLOT_SCHED,
							  .correlation = in_slot(row->slept_ns),
							  .stack = in_slot(row->waited_ns)};
	if (!lane || row->end <= row->begin)
		return;
	baton_slot_set_stack(&slot, row->stack);
	if (row->holder && row->holder->thread)
		lane_put(lane, (struct baton_slot){.begin = slot.begin,
										   .end = slot.end,
										   .name = row->holder->thread,
										   .type = BATON_SLOT_HOLDER,
										   .stack = row->holder->stack});
	lane_put(lane, slot);
}

__attribute__((no_sanitize("thread"))) bool lane_slot_times(const struct baton_lane *lane,
															uint64_t number, uint64_t *begin,
															uint64_t *end)
{
	const volatile struct baton_slot *slot = &live_slots(lane)[number & (lane->slots - 1)];
	bool timed = slot->type != BATON_SLOT_COLLECTIVE;
	*begin = slot->begin;
	*end = slot->end;
	atomic_thread_fence(memory_order_acquire);
	return timed && atomic_load(&lane->head) - number < lane->slots;
}
