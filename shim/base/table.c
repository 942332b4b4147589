#include "base/table.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

int table_open(struct table *table, uint32_t slots)
{
	size_t bytes = (size_t)slots * sizeof(struct table_slot);
	if (table->slots && table->mask != slots - 1)
		table_close(table); /* a forked child's may be smaller than its parent's */
	if (table->slots)       /* private anonymous pages read as zero again */
		return madvise(table->slots, bytes, MADV_DONTNEED) == 0 ? 0 : -errno;
	void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	table->slots = map;
	table->mask = slots - 1;
	return 0;
}

void table_close(struct table *table)
{
	struct table_slot *slots = table->slots;
	table->slots = NULL; /* first: a child forked in between keeps no pointer to nothing */
	if (slots)
		munmap(slots, ((size_t)table->mask + 1) * sizeof(*slots));
}

uint32_t table_add(struct table *table, uint64_t key, uint32_t id)
{
	uint32_t i = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32);
	for (int tries = 0; tries < TABLE_TRIES; tries++, i++) {
		struct table_slot *slot = &table->slots[i & table->mask];
		uint64_t there = 0;
		if (atomic_compare_exchange_strong(&slot->key, &there, key) || there == key) {
			uint32_t none = 0;
			return atomic_compare_exchange_strong(&slot->id, &none, id) ? id : none;
		}
	}
	return id;
}
