/* The newest N things with a correlation id: a ring with a hash over it. When it is full the oldest
 * falls out, which bounds memory whatever the length of the run. Ids that follow one another lie
 * side by side in the hash, for that is how they are asked for; where each such run begins is drawn
 * by a secret number, so that no file can make the chains long. base/table.h could neither forget
 * nor keep ids side by side. */
#ifndef ATTRIBUTE_CORR_RING_H
#define ATTRIBUTE_CORR_RING_H

#include <stddef.h>
#include <stdint.h>

enum { CORR_RUN_BITS = 12 }; /* 2^12 ids side by side */

struct corr_ring {
	char *elements; /* each begins with a struct corr_head */
	size_t element_bytes;
	uint32_t *heads; /* hash -> element + 1 */
	uint32_t room;   /* a power of two */
	uint32_t shift;  /* leaves as many bits as room has */
	uint64_t secret; /* odd */
	uint64_t added;
};

struct corr_head {
	uint64_t correlation;
	uint32_t next;  /* element + 1 */
	uint32_t index; /* its place in the ring */
};

/* Memory of closed rings, for the next ones of the same size: a thread opens two for every device,
 * and fresh pages cost more than what is done in them. */
struct corr_store {
	struct {
		char *elements;
		uint32_t *heads;
		uint32_t room;
		size_t element_bytes;
	} kept[2];
};
void corr_store_free(struct corr_store *store);

/* 0 or -ENOMEM. room: a power of two, at least 2. store: may be NULL. */
int corr_ring_open(struct corr_ring *ring, uint32_t room, size_t element_bytes,
				   struct corr_store *store);
void corr_ring_close(struct corr_ring *ring, struct corr_store *store);
void corr_ring_clear(struct corr_ring *ring);
void *corr_ring_put(struct corr_ring *ring, uint64_t correlation); /* zeroed after its head */

static inline struct corr_head *corr_ring_element(const struct corr_ring *ring, uint32_t index)
{
	return (void *)(ring->elements + index * ring->element_bytes);
}

static inline uint32_t *corr_ring_head(const struct corr_ring *ring, uint64_t correlation)
{
	uint64_t run = (correlation >> CORR_RUN_BITS) * ring->secret >> ring->shift;
	return &ring->heads[(run + correlation) & (ring->room - 1)];
}

/* The newest with this id, or NULL. */
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

/* What lies at an element's place, if it still has this id: spares a second search. */
static inline void *corr_ring_at(const struct corr_ring *ring, uint32_t index, uint64_t correlation)
{
	struct corr_head *e = corr_ring_element(ring, index);
	return index < ring->added && e->correlation == correlation ? e : NULL;
}

#endif
