#include "attribute/corr_ring.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct corr_head *element(const struct corr_ring *ring, uint32_t index)
{
	return (void *)(ring->elements + index * ring->element_bytes);
}

static uint32_t *head_of(const struct corr_ring *ring, uint64_t correlation)
{
	uint64_t h = correlation * UINT64_C(0x9E3779B97F4A7C15);
	return &ring->heads[(h >> 32) & (ring->room - 1)];
}

int corr_ring_open(struct corr_ring *ring, uint32_t room, size_t element_bytes)
{
	ring->element_bytes = element_bytes;
	ring->room = room;
	ring->added = 0;
	ring->elements = calloc(room, element_bytes);
	ring->heads = calloc(room, sizeof(*ring->heads));
	if (ring->elements && ring->heads)
		return 0;
	corr_ring_close(ring);
	return -ENOMEM;
}

void corr_ring_close(struct corr_ring *ring)
{
	free(ring->elements);
	free(ring->heads);
	memset(ring, 0, sizeof(*ring));
}

void corr_ring_clear(struct corr_ring *ring)
{
	memset(ring->heads, 0, ring->room * sizeof(*ring->heads));
	for (uint32_t i = 0; i < ring->room && i < ring->added; i++)
		element(ring, i)->used = 0;
	ring->added = 0;
}

void *corr_ring_get(const struct corr_ring *ring, uint64_t correlation)
{
	for (uint32_t i = *head_of(ring, correlation); i; i = element(ring, i - 1)->next)
		if (element(ring, i - 1)->correlation == correlation)
			return element(ring, i - 1);
	return NULL;
}

static void forget(struct corr_ring *ring, uint32_t index)
{
	struct corr_head *old = element(ring, index);
	uint32_t *link = head_of(ring, old->correlation);
	while (*link && *link != index + 1)
		link = &element(ring, *link - 1)->next;
	if (*link)
		*link = old->next;
}

void *corr_ring_put(struct corr_ring *ring, uint64_t correlation)
{
	uint32_t index = (uint32_t)(ring->added++ & (ring->room - 1));
	struct corr_head *e = element(ring, index);
	if (e->used)
		forget(ring, index);
	memset(e, 0, ring->element_bytes);
	uint32_t *head = head_of(ring, correlation);
	e->correlation = correlation;
	e->used = 1;
	e->next = *head;
	*head = index + 1;
	return e;
}
