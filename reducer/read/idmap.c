/* u32 id -> dense index. Ids below DENSE_IDS, which is all that a well-meaning writer makes, cost
 * one load. */
#include "read/trace.h"

enum { DENSE_IDS = 1 << 20, FIRST_HASH = 64 };

static uint64_t *hash_slot(const struct idmap *map, uint32_t id)
{
	uint32_t mask = map->hash_room - 1;
	for (uint32_t i = (id * 2654435761u) & mask;; i = (i + 1) & mask)
		if (map->hash[i] == 0 || map->hash[i] >> 32 == id)
			return &map->hash[i];
}

static int hash_grow(struct idmap *map)
{
	struct idmap larger = {.hash_room = map->hash_room ? 2 * map->hash_room : FIRST_HASH};
	larger.hash = calloc(larger.hash_room, sizeof(*larger.hash));
	if (!larger.hash)
		return -ENOMEM;
	for (uint32_t i = 0; i < map->hash_room; i++)
		if (map->hash[i])
			*hash_slot(&larger, (uint32_t)(map->hash[i] >> 32)) = map->hash[i];
	free(map->hash);
	map->hash = larger.hash;
	map->hash_room = larger.hash_room;
	return 0;
}

static int dense_grow(struct idmap *map, uint32_t id)
{
	uint32_t n = map->n_dense ? map->n_dense : 256;
	while (n <= id)
		n *= 2;
	uint32_t *larger = realloc(map->dense, n * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	memset(larger + map->n_dense, 0, (n - map->n_dense) * sizeof(*larger));
	map->dense = larger;
	map->n_dense = n;
	return 0;
}

uint32_t idmap_get_large(const struct idmap *map, uint64_t id)
{
	if (map->hash_room == 0 || id > UINT32_MAX)
		return 0;
	return (uint32_t)*hash_slot(map, (uint32_t)id);
}

int idmap_add(struct idmap *map, uint32_t id, uint32_t index)
{
	if (id == 0)
		return 0; /* 0 means none, whatever a file says */
	if (id < DENSE_IDS) {
		if (id >= map->n_dense && dense_grow(map, id) != 0)
			return -ENOMEM;
		if (map->dense[id] == 0)
			map->dense[id] = index;
		return 0;
	}
	if (2 * map->hash_used >= map->hash_room && hash_grow(map) != 0)
		return -ENOMEM;
	uint64_t *slot = hash_slot(map, id);
	if (*slot == 0) {
		*slot = (uint64_t)id << 32 | index;
		map->hash_used++;
	}
	return 0;
}

void idmap_free(struct idmap *map)
{
	free(map->dense);
	free(map->hash);
	memset(map, 0, sizeof(*map));
}
