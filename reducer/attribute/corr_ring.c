#include "attribute/corr_ring.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { CACHE_LINE = 64 };

enum { KEPT = sizeof(((struct corr_store *)0)->kept) / sizeof(((struct corr_store *)0)->kept[0]) };

static bool take_kept(struct corr_ring *ring, struct corr_store *store)
{
	for (size_t i = 0; store && i < KEPT; i++) {
		if (!store->kept[i].elements || store->kept[i].room != ring->room ||
			store->kept[i].element_bytes != ring->element_bytes)
			continue;
		ring->elements = store->kept[i].elements;
		ring->heads = store->kept[i].heads;
		store->kept[i].elements = NULL;
		memset(ring->heads, 0, ring->room * sizeof(*ring->heads));
		return true;
	}
	return false;
}

int corr_ring_open(struct corr_ring *ring, uint32_t room, size_t element_bytes,
				   struct corr_store *store)
{
	ring->element_bytes = element_bytes;
	ring->room = room;
	ring->shift = 64 - (uint32_t)__builtin_ctz(room);
	ring->added = 0;
	if (getrandom(&ring->secret, sizeof(ring->secret), GRND_NONBLOCK) != sizeof(ring->secret))
		ring->secret = UINT64_C(0x9E3779B97F4A7C15);
	ring->secret |= 1;
	if (take_kept(ring, store))
		return 0;
	/* not zeroed: what is put is filled in, and most runs do not touch all */
	size_t bytes = (room * element_bytes + CACHE_LINE - 1) & ~(size_t)(CACHE_LINE - 1);
	ring->elements = aligned_alloc(CACHE_LINE, bytes);
	ring->heads = calloc(room, sizeof(*ring->heads));
	if (ring->elements && ring->heads)
		return 0;
	corr_ring_close(ring, NULL);
	return -ENOMEM;
}

void corr_ring_close(struct corr_ring *ring, struct corr_store *store)
{
	for (size_t i = 0; store && ring->elements && i < KEPT; i++) {
		if (store->kept[i].elements)
			continue;
		store->kept[i].elements = ring->elements;
		store->kept[i].heads = ring->heads;
		store->kept[i].room = ring->room;
		store->kept[i].element_bytes = ring->element_bytes;
		ring->elements = NULL;
		ring->heads = NULL;
	}
	free(ring->elements);
	free(ring->heads);
	memset(ring, 0, sizeof(*ring));
}

void corr_store_free(struct corr_store *store)
{
	for (size_t i = 0; i < KEPT; i++) {
		if (!store->kept[i].elements)
			continue;
		free(store->kept[i].elements);
		free(store->kept[i].heads);
	}
	memset(store, 0, sizeof(*store));
}

void corr_ring_clear(struct corr_ring *ring)
{
	if (ring->added)
		memset(ring->heads, 0, ring->room * sizeof(*ring->heads));
	ring->added = 0;
}

void corr_ring_forget(struct corr_ring *ring, uint32_t index)
{
	const struct corr_head *old = corr_ring_element(ring, index);
	uint32_t *link = corr_ring_head(ring, old->correlation);
	while (*link && *link != index + 1)
		link = &corr_ring_element(ring, *link - 1)->next;
	if (*link)
		*link = old->next;
}
