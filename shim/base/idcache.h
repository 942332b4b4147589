/* hash -> id, for whatever the dictionary holds already. A bounded, static cache: any thread looks
 * up and inserts, nobody waits; a bucket that is full forgets one entry, whose next sight is then a
 * first one again. An id is put in only once its record is published, so a hit is always usable. */
#ifndef SHIM_IDCACHE_H
#define SHIM_IDCACHE_H

#include <stdatomic.h>
#include <stdint.h>

enum { IDCACHE_WAYS = 4, IDCACHE_BUCKETS = 1 << 14 }; /* 1 MiB */

struct idcache_bucket { /* one cache line: keys and ids of four entries, and who goes next */
	_Atomic uint64_t key[IDCACHE_WAYS];
	_Atomic uint32_t id[IDCACHE_WAYS];
	_Atomic uint32_t victim;
	_Atomic uint32_t
		changes; /* counted before an id changes: an entry may be given away and come back */
	uint32_t zero[2];
};
_Static_assert(sizeof(struct idcache_bucket) == 64, "a bucket is a cache line");

struct idcache {
	_Alignas(64) struct idcache_bucket bucket[IDCACHE_BUCKETS];
};

enum { IDCACHE_EMPTY = 0, IDCACHE_BUSY = 1 };

/* Part of every key: what was put in under another one is not found. Changes in a forked child,
 * whose dictionary is a new one. */
extern uint64_t idcache_epoch;

/* Hashes that would be mistaken for a mark are moved. */
static inline uint64_t idcache_key(uint64_t hash)
{
	hash ^= idcache_epoch;
	return hash > IDCACHE_BUSY ? hash : hash + 2;
}

/* 0: not here. */
static inline uint32_t idcache_get(const struct idcache *cache, uint64_t hash)
{
	uint64_t key = idcache_key(hash);
	const struct idcache_bucket *bucket = &cache->bucket[key % IDCACHE_BUCKETS];
	uint32_t changes = atomic_load_explicit(&bucket->changes, memory_order_acquire);
	for (unsigned i = 0; i < IDCACHE_WAYS; i++) {
		if (atomic_load_explicit(&bucket->key[i], memory_order_acquire) != key)
			continue;
		uint32_t id = atomic_load_explicit(&bucket->id[i], memory_order_acquire);
		/* the entry may have been given away between the two loads, and even come back */
		if (atomic_load_explicit(&bucket->changes, memory_order_relaxed) == changes)
			return id;
	}
	return 0;
}

void idcache_put(struct idcache *cache, uint64_t hash, uint32_t id);

#endif
