/* Memory that is there: the program ends when there is none. */
#ifndef SIMGPU_ENGINE_ROOM_H
#define SIMGPU_ENGINE_ROOM_H

#include <stddef.h>
#include <stdint.h>

/* `memory`, of malloc, calloc or realloc. */
void *must(void *memory);
void *room_grow(void *at, uint32_t *room, uint32_t least, size_t bytes);

/* The array `at` of *room elements of so many bytes, made larger when `n` elements fill it: from
 * `least` on it doubles. */
static inline void *room_for(void *at, size_t n, uint32_t *room, uint32_t least, size_t bytes)
{
	return n < *room ? at : room_grow(at, room, least, bytes);
}

#endif
