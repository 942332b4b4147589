/* The newest N things with a correlation id: a ring with a hash over it. When it is full the oldest
 * falls out, which bounds memory whatever the length of the run. */
#ifndef ATTRIBUTE_CORR_RING_H
#define ATTRIBUTE_CORR_RING_H

#include <stddef.h>
#include <stdint.h>

struct corr_ring {
	char *elements; /* each begins with a struct corr_head */
	size_t element_bytes;
	uint32_t *heads; /* hash -> element + 1 */
	uint32_t room;   /* a power of two */
	uint64_t added;
};

struct corr_head {
	uint64_t correlation;
	uint32_t next; /* element + 1 */
	uint32_t used;
};

/* 0 or -ENOMEM. room: a power of two. */
int corr_ring_open(struct corr_ring *ring, uint32_t room, size_t element_bytes);
void corr_ring_close(struct corr_ring *ring);
void corr_ring_clear(struct corr_ring *ring);
void *corr_ring_get(const struct corr_ring *ring, uint64_t correlation); /* or NULL */
void *corr_ring_put(struct corr_ring *ring, uint64_t correlation); /* zeroed behind its head */

#endif
