/* Finds rows by key: open addressing over the numbers of the rows, which count from 1. The rows lie
 * in an array of the caller, in order of arrival. (uthash would put 56 bytes of links into every
 * row and forbid moving the array.) A zeroed table is empty. One thread at a time may add; once
 * adding has stopped, any number may search. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct table_slot {
	uint32_t hash;
	uint32_t row; /* 0: free */
};

struct table {
	struct table_slot *slots;
	uint32_t room; /* slots, a power of two */
	uint32_t n;
	uint64_t secret; /* random and odd, so that no file can be made to produce long chains */
};

/* Frees the index, not the rows. The table can be used again: the next addition indexes all rows
 * anew, also if they have moved. */
void table_free(struct table *table);

/* ---- for keys that lie elsewhere than at the beginning of the row ---- */

/* Makes room for one more row; call it before hashing the key. 0 or -ENOMEM. */
int table_reserve(struct table *table);
void table_put(struct table *table, uint32_t hash, uint32_t row);

/* The number of the next row with this hash, whose key the caller has to compare; 0 after the last.
 * *probe must be 0 at first. */
static inline uint32_t table_next(const struct table *table, uint32_t hash, uint32_t *probe)
{
	for (;;) {
		const struct table_slot *slot = &table->slots[(hash + (*probe)++) & (table->room - 1)];
		if (slot->row == 0 || slot->hash == hash)
			return slot->row;
	}
}

/* ---- for rows that begin with their key, which has no padding ---- */

struct table_shape {
	size_t row_bytes, key_bytes;
};

struct table_rows {
	void **at; /* the caller's array; only table_add() enlarges it */
	size_t *n;
	struct table_shape shape;
};

#define TABLE_SHAPE(type, last_of_key)  \
	((struct table_shape){sizeof(type), \
						  offsetof(type, last_of_key) + sizeof(((type *)0)->last_of_key)})
#define TABLE_ROWS(array, n, last_of_key) \
	((struct table_rows){(void **)&(array), &(n), TABLE_SHAPE(__typeof__(*(array)), last_of_key)})

/* Makes slots for every row and one more. 0 or -ENOMEM. */
int table_grow(struct table *table, struct table_rows rows);

static inline uint32_t table_hash(const struct table *table, const void *key, size_t bytes)
{
	uint64_t hash = 0, word;
	for (const char *at = key;; at += sizeof(word), bytes -= sizeof(word)) {
		word = 0;
		memcpy(&word, at, bytes < sizeof(word) ? bytes : sizeof(word));
		hash = (hash ^ word) * table->secret;
		hash ^= hash >> 32;
		if (bytes <= sizeof(word))
			return (uint32_t)hash;
	}
}

static inline uint32_t table_find_hash(const struct table *table, const void *rows,
									   struct table_shape shape, const void *key, uint32_t hash)
{
	uint32_t probe = 0, row;
	do
		row = table_next(table, hash, &probe);
	while (row && memcmp((const char *)rows + (row - 1) * shape.row_bytes, key, shape.key_bytes));
	return row;
}

/* The number of the row that begins with `key`; 0 when there is none. */
static inline uint32_t table_find(const struct table *table, const void *rows,
								  struct table_shape shape, const void *key)
{
	uint32_t hash = table_hash(table, key, shape.key_bytes);
	return table->room ? table_find_hash(table, rows, shape, key, hash) : 0;
}

/* The same, but a missing row is added after the others, zeroed after its key. 0: out of memory. */
static inline uint32_t table_add(struct table *table, struct table_rows rows, const void *key)
{
	size_t n = *rows.n, row_bytes = rows.shape.row_bytes;
	if (2 * n >= table->room && table_grow(table, rows) != 0)
		return 0;
	uint32_t hash = table_hash(table, key, rows.shape.key_bytes);
	uint32_t row = table_find_hash(table, *rows.at, rows.shape, key, hash);
	if (row)
		return row;
	char *new = (char *)*rows.at + n *row_bytes;
	memset(new, 0, row_bytes);
	memcpy(new, key, rows.shape.key_bytes);
	*rows.n = n + 1;
	table_put(table, hash, (uint32_t)n + 1);
	return (uint32_t)n + 1;
}

/* The same, but returns the row itself; NULL: out of memory. */
static inline void *table_row(struct table *table, struct table_rows rows, const void *key)
{
	uint32_t row = table_add(table, rows, key);
	return row ? (char *)*rows.at + (row - 1) * rows.shape.row_bytes : NULL;
}

#endif
