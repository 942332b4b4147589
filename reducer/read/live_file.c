#include "read/live_file.h"

#include <baton/bounds.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	MOST_SLOTS = 1 << 20, /* of a ring: BATON_RING_SLOTS may be no more */
	MOST_BYTES = 1 << 30  /* 20 such rings, 492 small ones, and names */
};

void live_file_id(const struct baton_live *live, char id[LIVE_FILE_ID_BYTES])
{
	const uint8_t *boot = live->boot_id;
	snprintf(id, LIVE_FILE_ID_BYTES, "%02x%02x%02x%02x.%" PRIu64 ".%" PRIu64 ".%" PRIu32, boot[0],
			 boot[1], boot[2], boot[3], live->pid, live->start_time, live->generation);
}

const char *live_file_fault(const struct baton_live *live, uint64_t bytes)
{
	if (memcmp(live->magic, BATON_LIVE_MAGIC, sizeof(live->magic)) != 0)
		return "not a live file";
	if (live->layout != BATON_LIVE_LAYOUT || live->header_bytes != sizeof(*live))
		return "the live file of another version of baton";
	if (live->file_bytes != bytes || bytes > MOST_BYTES)
		return "a live file of another size than it says";
	if (live->lanes_offset < sizeof(*live) || live->lanes_offset % _Alignof(struct baton_lane) ||
		!baton_holds(bytes, live->lanes_offset, BATON_LIVE_LANES, sizeof(struct baton_lane)))
		return "a live file whose lanes lie outside of it";
	if (live->dictionary_offset % 8 ||
		!baton_holds(bytes, live->dictionary_offset, live->dictionary_bytes, 1))
		return "a live file whose names lie outside of it";
	return NULL;
}

const struct baton_slot *live_file_ring(const struct baton_live *live,
										const struct baton_lane *lane)
{
	uint64_t offset = atomic_load(&lane->offset), slots = lane->slots;
	if (offset == 0 || offset % 8 || slots == 0 || (slots & (slots - 1)) || slots > MOST_SLOTS ||
		!baton_holds(live->file_bytes, offset, slots, sizeof(struct baton_slot)))
		return NULL;
	return (const void *)((const char *)live + offset);
}

bool live_file_slot_ok(const struct baton_slot *slot)
{
	switch (slot->type) {
	case BATON_SLOT_RANGE:
		return slot->aux <= UINT8_MAX && slot->stack <= 1;
	case BATON_SLOT_COLLECTIVE:
	case BATON_SLOT_OVERHEAD:
	case BATON_SLOT_ALLOCATION:
		return slot->aux <= UINT8_MAX;
	default:
		return true;
	}
}
