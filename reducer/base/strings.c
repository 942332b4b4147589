#include "base/strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_SLOTS = 1024, CHUNK_BYTES = 64 << 10 };

static int pool_reserve(struct strings *pool)
{
	if (pool->n < pool->room)
		return 0;
	uint32_t room = pool->room ? 2 * pool->room : FIRST_SLOTS / 2;
	struct text *larger = realloc(pool->texts, room * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	pool->texts = larger;
	pool->room = room;
	return 0;
}

static char *pool_copy(struct strings *pool, const char *at, size_t bytes)
{
	if (pool->chunk_room - pool->chunk_used < bytes + 1) {
		char **list = realloc(pool->chunks, (pool->n_chunks + 1) * sizeof(*list));
		if (!list)
			return NULL;
		pool->chunks = list;
		size_t room = bytes + 1 > CHUNK_BYTES ? bytes + 1 : CHUNK_BYTES;
		char *chunk = malloc(room);
		if (!chunk)
			return NULL;
		pool->chunks[pool->n_chunks++] = chunk;
		pool->chunk_room = room;
		pool->chunk_used = 0;
	}
	char *copy = pool->chunks[pool->n_chunks - 1] + pool->chunk_used;
	memcpy(copy, at, bytes);
	copy[bytes] = 0;
	pool->chunk_used += bytes + 1;
	return copy;
}

static uint32_t *pool_slot(const struct strings *pool, const char *at, size_t bytes)
{
	uint32_t mask = pool->n_slots - 1;
	uint32_t i = (uint32_t)XXH3_64bits(at, bytes) & mask;
	for (;; i = (i + 1) & mask) {
		uint32_t id = pool->slots[i];
		if (id == 0 ||
			(pool->texts[id].bytes == bytes && memcmp(pool->texts[id].at, at, bytes) == 0))
			return &pool->slots[i];
	}
}

static int pool_grow_slots(struct strings *pool)
{
	uint32_t *old = pool->slots;
	uint32_t *slots = calloc(2 * (size_t)pool->n_slots, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	pool->slots = slots;
	pool->n_slots *= 2;
	for (uint32_t id = 1; id < pool->n; id++)
		*pool_slot(pool, pool->texts[id].at, pool->texts[id].bytes) = id;
	free(old);
	return 0;
}

int strings_init(struct strings *pool)
{
	memset(pool, 0, sizeof(*pool));
	pool->slots = calloc(FIRST_SLOTS, sizeof(*pool->slots));
	pool->n_slots = FIRST_SLOTS;
	if (!pool->slots || pool_reserve(pool) != 0) {
		strings_free(pool);
		return -ENOMEM;
	}
	pool->texts[0] = (struct text){"", 0};
	pool->n = 1;
	return 0;
}

void strings_free(struct strings *pool)
{
	for (uint32_t i = 0; i < pool->n_chunks; i++)
		free(pool->chunks[i]);
	free(pool->chunks);
	free(pool->slots);
	free(pool->texts);
	memset(pool, 0, sizeof(*pool));
}

int strings_add(struct strings *pool, const char *at, size_t bytes, uint32_t *id, int *is_new)
{
	uint32_t *slot = pool_slot(pool, at, bytes);
	if (is_new)
		*is_new = *slot == 0;
	*id = *slot;
	if (*slot)
		return 0;
	if (pool->n >= pool->n_slots / 2) {
		if (pool_grow_slots(pool) != 0)
			return -ENOMEM;
		slot = pool_slot(pool, at, bytes);
	}
	char *copy = pool_reserve(pool) == 0 ? pool_copy(pool, at, bytes) : NULL;
	if (!copy)
		return -ENOMEM;
	*id = *slot = pool->n++;
	pool->texts[*id] = (struct text){copy, (uint32_t)bytes};
	return 0;
}
