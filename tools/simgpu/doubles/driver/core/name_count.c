#include "doubles/driver/core/name_count.h"

#include "doubles/driver/calls/observe_call.h"
#include "engine/room.h"
#include "doubles/driver/stream/submit.h"

#include <stdlib.h>

/* Open addressing by the name's address; never shrinks, at most half full. */
static struct sim_name_count *counts;
static uint32_t n_counts, room_bits;

static struct sim_name_count *place(const char *name)
{
	uint64_t mixed = ((uintptr_t)name >> 3) * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(mixed >> (64 - room_bits));
	while (counts[i].name && counts[i].name != name)
		i = (i + 1) & ((1u << room_bits) - 1);
	return &counts[i];
}

static void grow(void)
{
	struct sim_name_count *old = counts;
	uint32_t old_room = old ? 1u << room_bits : 0;
	room_bits = old ? room_bits + 1 : 8;
	counts = must(calloc(1u << room_bits, sizeof(*counts)));
	for (uint32_t i = 0; i < old_room; i++) {
		if (old[i].name)
			*place(old[i].name) = old[i];
	}
	free(old);
}

void name_count(const char *name)
{
	if (!counts || n_counts * 2 >= 1u << room_bits)
		grow();
	struct sim_name_count *count = place(name);
	if (!count->name) {
		count->name = name;
		n_counts++;
	}
	count->n++;
}

unsigned simgpu_names(struct sim_name_count *out, unsigned room)
{
	unsigned n = 0;
	pthread_mutex_lock(&core.lock);
	for (uint32_t i = 0; counts && i < 1u << room_bits; i++) {
		if (!counts[i].name)
			continue;
		if (n < room)
			out[n] = counts[i];
		n++;
	}
	pthread_mutex_unlock(&core.lock);
	return n;
}
