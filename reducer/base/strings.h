/* A pool of distinct byte strings, numbered from 1 in order of arrival. The bytes do not move until
 * the pool is freed. One thread at a time may add; once adding has stopped, any number may read. */
#ifndef BASE_STRINGS_H
#define BASE_STRINGS_H

#include "base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	const char *at; /* also NUL-terminated */
	uint32_t bytes;
};

struct strings {
	struct text *texts; /* [0] is the empty string, id 0 */
	uint32_t n;         /* ids in use, 0 included */
	size_t room;
	struct table ids;
	char **chunks;
	uint32_t n_chunks;
	size_t chunk_used;
	size_t chunk_room;
};

int strings_init(struct strings *pool); /* 0 or -ENOMEM */
void strings_free(struct strings *pool);

/* *id: the id of these bytes, which are added when they are new. *is_new: whether they were;
 * `is_new` may be NULL. 0 or -ENOMEM. */
int strings_add(struct strings *pool, const char *at, size_t bytes, uint32_t *id, int *is_new);

/* The same, but a missing one is not added. False: these bytes are not in the pool. */
bool strings_find(const struct strings *pool, const char *at, size_t bytes, uint32_t *id);

static inline struct text strings_get(const struct strings *pool, uint32_t id)
{
	return pool->texts[id < pool->n ? id : 0];
}

#endif
