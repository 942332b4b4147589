/* u32 id -> dense index. Ids below DENSE_IDS cost one load; an ordinary writer makes no others. */
#include "read/trace.h"

#include "base/room.h"

#include <errno.h>
#include <stdlib.h>

enum { DENSE_IDS = 1 << 20 };

struct idmap_large {
	uint32_t id;
	uint32_t index;
};

uint32_t idmap_get_large(const struct idmap *map, uint64_t id)
{
	uint32_t key = (uint32_t)id, row = 0;
	if (id <= UINT32_MAX)
		row = table_find(&map->large_ids, map->large, TABLE_SHAPE(struct idmap_large, id), &key);
	return row ? map->large[row - 1].index : 0;
}

int idmap_add(struct idmap *map, uint32_t id, uint32_t index)
{
	if (id == 0)
		return 0; /* 0 means none, whatever a file says */
	if (id < DENSE_IDS) {
		if (room_reach((void **)&map->dense, &map->n_dense, id, sizeof(*map->dense)) != 0)
			return -ENOMEM;
		if (map->dense[id] == 0)
			map->dense[id] = index;
		return 0;
	}
	struct idmap_large *row =
		table_row(&map->large_ids, TABLE_ROWS(map->large, map->n_large, id), &id);
	if (!row)
		return -ENOMEM;
	row->index = row->index ? row->index : index;
	return 0;
}

void idmap_free(struct idmap *map)
{
	free(map->dense);
	free(map->large);
	table_free(&map->large_ids);
	memset(map, 0, sizeof(*map));
}
