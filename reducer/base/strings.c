#include "base/strings.h"

#include "base/room.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_ROOM = 512, CHUNK_BYTES = 64 << 10 };

static int pool_reserve(struct strings *pool)
{
	return room_for((void **)&pool->texts, pool->n, &pool->room, FIRST_ROOM, sizeof(*pool->texts));
}

static char *pool_copy(struct strings *pool, const char *at, size_t bytes)
{
	if (pool->chunk_room - pool->chunk_used < bytes + 1) {
		if (room_next((void **)&pool->chunks, pool->n_chunks, sizeof(*pool->chunks)) != 0)
			return NULL;
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

int strings_init(struct strings *pool)
{
	memset(pool, 0, sizeof(*pool));
	if (pool_reserve(pool) != 0)
		return -ENOMEM;
	pool->texts[0] = (struct text){"", 0};
	pool->n = 1;
	return 0;
}

void strings_free(struct strings *pool)
{
	for (uint32_t i = 0; i < pool->n_chunks; i++)
		free(pool->chunks[i]);
	free(pool->chunks);
	table_free(&pool->ids);
	free(pool->texts);
	memset(pool, 0, sizeof(*pool));
}

static uint32_t find(const struct strings *pool, const char *at, size_t bytes, uint32_t hash)
{
	uint32_t probe = 0, id;
	do
		id = table_next(&pool->ids, hash, &probe);
	while (id && (pool->texts[id].bytes != bytes || memcmp(pool->texts[id].at, at, bytes) != 0));
	return id;
}

static uint32_t hash_of(const struct strings *pool, const char *at, size_t bytes)
{
	return (uint32_t)XXH3_64bits_withSeed(at, bytes, pool->ids.secret);
}

bool strings_find(const struct strings *pool, const char *at, size_t bytes, uint32_t *id)
{
	*id = pool->ids.room && bytes ? find(pool, at, bytes, hash_of(pool, at, bytes)) : 0;
	return *id || bytes == 0;
}

int strings_add(struct strings *pool, const char *at, size_t bytes, uint32_t *id, int *is_new)
{
	if (table_reserve(&pool->ids) != 0)
		return -ENOMEM;
	const uint32_t hash = hash_of(pool, at, bytes);
	*id = find(pool, at, bytes, hash);
	if (is_new)
		*is_new = *id == 0;
	if (*id)
		return 0;
	char *copy = pool_reserve(pool) == 0 ? pool_copy(pool, at, bytes) : NULL;
	if (!copy)
		return -ENOMEM;
	*id = pool->n++;
	pool->texts[*id] = (struct text){copy, (uint32_t)bytes};
	table_put(&pool->ids, hash, *id);
	return 0;
}
