#include "base/table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

enum { FIRST_ROOM = 64 };

void table_free(struct table *table)
{
	free(table->slots);
	*table = (struct table){0};
}

void table_put(struct table *table, uint32_t hash, uint32_t row)
{
	uint32_t i = hash & (table->room - 1);
	while (table->slots[i].row)
		i = (i + 1) & (table->room - 1);
	table->slots[i] = (struct table_slot){hash, row};
	table->n++;
}

/* How many slots hold `n` rows, no more than half of them in use. */
static size_t room_of(const struct table *table, size_t n)
{
	size_t room = table->room ? table->room : FIRST_ROOM;
	while (room / 2 < n)
		room *= 2;
	return room;
}

static int grow(struct table *table, size_t room)
{
	struct table larger = {.room = (uint32_t)room, .secret = table->secret};
	larger.slots = room <= UINT32_MAX ? calloc(room, sizeof(*larger.slots)) : NULL;
	if (!larger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->room; i++)
		if (table->slots[i].row)
			table_put(&larger, table->slots[i].hash, table->slots[i].row);
	if (!larger.secret &&
		getrandom(&larger.secret, sizeof(larger.secret), GRND_NONBLOCK) != sizeof(larger.secret))
		larger.secret = UINT64_C(0x9E3779B97F4A7C15);
	larger.secret |= 1;
	free(table->slots);
	*table = larger;
	return 0;
}

int table_reserve(struct table *table)
{
	if (2 * (size_t)table->n < table->room)
		return 0;
	return grow(table, room_of(table, (size_t)table->n + 1));
}

int table_grow(struct table *table, struct table_rows rows)
{
	size_t n = *rows.n, room = room_of(table, n + 1);
	char *larger = reallocarray(*rows.at, room / 2, rows.shape.row_bytes);
	if (!larger)
		return -ENOMEM;
	*rows.at = larger;
	if (grow(table, room) != 0)
		return -ENOMEM;
	for (size_t i = table->n; i < n; i++)
		table_put(table, table_hash(table, larger + i * rows.shape.row_bytes, rows.shape.key_bytes),
				  (uint32_t)i + 1);
	return 0;
}
