/* A fixed hash table from a 64-bit key (not 0) to an id (not 0) that any thread reads and adds to
 * without a lock: open addressing, a slot is claimed by its key and filled once. Full: nothing more
 * is added, callers write again. */
#ifndef SHIM_TABLE_H
#define SHIM_TABLE_H

#include <stdatomic.h>
#include <stdint.h>

struct table_slot {
	_Atomic uint64_t key;
	_Atomic uint32_t id;
};

struct table {
	struct table_slot *slots;
	uint32_t mask;
};

/* `slots`: a power of two. Anonymous memory, untouched pages cost nothing; emptied when it was
 * open. 0 or -errno. */
int table_open(struct table *table, uint32_t slots);
/* Its memory goes back, if it has any. */
void table_close(struct table *table);
/* Returns the id that is in the table in the end: another thread may have been first. */
uint32_t table_add(struct table *table, uint64_t key, uint32_t id);

enum { TABLE_TRIES = 32 };

/* 0: not there (yet). */
static inline uint32_t table_find(const struct table *table, uint64_t key)
{
	uint32_t i = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32);
	for (int tries = 0; tries < TABLE_TRIES; tries++, i++) {
		const struct table_slot *slot = &table->slots[i & table->mask];
		uint64_t there = atomic_load_explicit(&slot->key, memory_order_acquire);
		if (there == key)
			return atomic_load_explicit(&slot->id, memory_order_acquire);
		if (there == 0)
			return 0;
	}
	return 0;
}

#endif
