/* The newest N elements with a correlation id: a ring buffer and a hash over it. When it is full,
 * each new element replaces the oldest one, so memory does not depend on the length of the run. A
 * run of 2^CORR_RUN_BITS successive ids lies side by side in the hash, because lookups come in
 * nearly that order. A secret number decides where a run begins, so that no file can be made to
 * produce long chains. base/table.h can neither forget elements nor keep ids side by side. */
#ifndef ATTRIBUTE_CORR_RING_H
#define ATTRIBUTE_CORR_RING_H

#include <stddef.h>
#include <stdint.h>

enum { CORR_RUN_BITS = 12 }; /* 2^12 successive ids lie side by side */

struct corr_ring {
	char *elements; /* each begins with a struct corr_head */
	size_t element_bytes;
	uint32_t *heads; /* hash -> element + 1 */
	uint32_t room;   /* a power of two */
	uint32_t shift;  /* leaves log2(room) bits of the product */
	uint64_t secret; /* odd */
	uint64_t added;
};

struct corr_head {
	uint64_t correlation;
	uint32_t next;  /* element + 1 */
	uint32_t index; /* its place in the ring */
};

/* Memory of closed rings, for the next rings of the same size. A thread opens two rings for every
 * device, and faulting in fresh pages would cost more than the work on them. */
struct corr_store {
	struct {
		char *elements;
		uint32_t *heads;
		uint32_t room;
		size_t element_bytes;
	} kept[2];
};
void corr_store_free(struct corr_store *store);

/* `room`: elements, a power of two, at least 2. `store`: where to take memory from, or NULL. 0 or
 * -ENOMEM. */
int corr_ring_open(struct corr_ring *ring, uint32_t room, size_t element_bytes,
				   struct corr_store *store);
void corr_ring_close(struct corr_ring *ring, struct corr_store *store);
void corr_ring_clear(struct corr_ring *ring);
void corr_ring_forget(struct corr_ring *ring, uint32_t index); /* used by corr_ring_put() */

static inline struct corr_head *corr_ring_element(const struct corr_ring *ring, uint32_t index)
{
	return (void *)(ring->elements + index * ring->element_bytes);
}

static inline uint32_t *corr_ring_head(const struct corr_ring *ring, uint64_t correlation)
{
	uint64_t run = (correlation >> CORR_RUN_BITS) * ring->secret >> ring->shift;
	return &ring->heads[(run + correlation) & (ring->room - 1)];
}

/* Adds an element with this id and returns it; all but its head is to be filled in. Never fails. */
static inline void *corr_ring_put(struct corr_ring *ring, uint64_t correlation)
{
	uint32_t index = (uint32_t)(ring->added & (ring->room - 1));
	struct corr_head *e = corr_ring_element(ring, index);
	if (ring->added++ >= ring->room)
		corr_ring_forget(ring, index);
	uint32_t *head = corr_ring_head(ring, correlation);
	*e = (struct corr_head){correlation, *head, index};
	*head = index + 1;
	return e;
}

/* The newest element with this id, or NULL. */
static inline void *corr_ring_get(const struct corr_ring *ring, uint64_t correlation)
{
	for (uint32_t i = *corr_ring_head(ring, correlation); i;) {
		struct corr_head *e = corr_ring_element(ring, i - 1);
		if (e->correlation == correlation)
			return e;
		i = e->next;
	}
	return NULL;
}

/* The element at `index` of the ring if it still has this id, else NULL. Spares a second search. */
static inline void *corr_ring_at(const struct corr_ring *ring, uint32_t index, uint64_t correlation)
{
	struct corr_head *e = corr_ring_element(ring, index);
	return index < ring->added && e->correlation == correlation ? e : NULL;
}

#endif
