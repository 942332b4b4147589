#include "doubles/driver/core/counts.h"

#include "doubles/driver/core/core.h"
#include "engine/room.h"

#include <stdlib.h>

/* ---- ops ---- */

static struct sim_count *counts; /* never shrinks: asked for after the streams are gone */
static uint32_t n_counts, counts_room;

uint32_t counts_new(uint64_t key)
{
	counts = room_for(counts, n_counts, &counts_room, 64, sizeof(*counts));
	counts[n_counts] = (struct sim_count){key, 0};
	return n_counts++;
}

void counts_op(uint32_t row)
{
	counts[row].n++;
}

unsigned simgpu_ops(struct sim_count *out, unsigned room)
{
	unsigned n = 0;
	pthread_mutex_lock(&core.lock);
	for (uint32_t i = 0; i < n_counts; i++) {
		if (!counts[i].n)
			continue;
		if (n < room)
			out[n] = counts[i];
		n++;
	}
	pthread_mutex_unlock(&core.lock);
	return n;
}

/* ---- kernels ---- */

/* Open addressing by the name's address; never shrinks, at most half full. */
static struct sim_name_count *kernels;
static uint32_t n_kernels, room_bits;

static struct sim_name_count *place(const char *name)
{
	uint64_t mixed = ((uintptr_t)name >> 3) * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(mixed >> (64 - room_bits));
	while (kernels[i].name && kernels[i].name != name)
		i = (i + 1) & ((1u << room_bits) - 1);
	return &kernels[i];
}

static void grow(void)
{
	struct sim_name_count *old = kernels;
	uint32_t old_room = old ? 1u << room_bits : 0;
	room_bits = old ? room_bits + 1 : 8;
	kernels = must(calloc(1u << room_bits, sizeof(*kernels)));
	for (uint32_t i = 0; i < old_room; i++) {
		if (old[i].name)
			*place(old[i].name) = old[i];
	}
	free(old);
}

void counts_kernel(const char *name)
{
	if (!kernels || n_kernels * 2 >= 1u << room_bits)
		grow();
	struct sim_name_count *count = place(name);
	if (!count->name) {
		count->name = name;
		n_kernels++;
	}
	count->n++;
}

unsigned simgpu_names(struct sim_name_count *out, unsigned room)
{
	unsigned n = 0;
	pthread_mutex_lock(&core.lock);
	for (uint32_t i = 0; kernels && i < 1u << room_bits; i++) {
		if (!kernels[i].name)
			continue;
		if (n < room)
			out[n] = kernels[i];
		n++;
	}
	pthread_mutex_unlock(&core.lock);
	return n;
}
