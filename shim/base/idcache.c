#include "base/idcache.h"

#include <stdbool.h>

uint64_t idcache_epoch;

/* A key that stands in the bucket already; else an empty place, else the victim's. */
static unsigned idcache_place(struct idcache_bucket *bucket, uint64_t key, uint64_t *found)
{
	unsigned empty = IDCACHE_WAYS;
	for (unsigned i = 0; i < IDCACHE_WAYS; i++) {
		*found = atomic_load_explicit(&bucket->key[i], memory_order_relaxed);
		if (*found == key)
			return i;
		if (*found == IDCACHE_EMPTY && empty == IDCACHE_WAYS)
			empty = i;
	}
	if (empty == IDCACHE_WAYS)
		empty = atomic_fetch_add_explicit(&bucket->victim, 1, memory_order_relaxed) % IDCACHE_WAYS;
	*found = atomic_load_explicit(&bucket->key[empty], memory_order_relaxed);
	return empty;
}

/* While its id changes an entry is BUSY: a reader that saw the old key looks at it again. Whoever
 * loses a race leaves it; the next sight puts it in. */
void idcache_put(struct idcache *cache, uint64_t hash, uint32_t id)
{
	uint64_t key = idcache_key(hash), found;
	struct idcache_bucket *bucket = &cache->bucket[key % IDCACHE_BUCKETS];
	unsigned i = idcache_place(bucket, key, &found);
	if (found == IDCACHE_BUSY || found == key)
		return;
	if (!atomic_compare_exchange_strong_explicit(&bucket->key[i], &found, IDCACHE_BUSY,
												 memory_order_acq_rel, memory_order_relaxed))
		return;
	atomic_fetch_add_explicit(&bucket->changes, 1, memory_order_acq_rel);
	atomic_store_explicit(&bucket->id[i], id, memory_order_release);
	atomic_store_explicit(&bucket->key[i], key, memory_order_release);
}
