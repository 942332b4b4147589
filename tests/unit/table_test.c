/* Rows by key. Keeps out: a key found twice or not at all, rows that a growing table loses, rows
 * that are not found any more after they were sorted. */
#include "base/table.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

struct row {
	uint32_t key[3];
	uint32_t value;
};

struct rows {
	struct table table;
	struct row *at;
	size_t n;
};

static uint32_t add(struct rows *rows, uint32_t i)
{
	return table_add(&rows->table, TABLE_ROWS(rows->at, rows->n, key),
					 (uint32_t[3]){i % 7, i / 7, 1});
}

static uint32_t found(const struct rows *rows, uint32_t i)
{
	return table_find(&rows->table, rows->at, TABLE_SHAPE(struct row, key),
					  (uint32_t[3]){i % 7, i / 7, 1});
}

static void numbers(struct rows *rows)
{
	uint32_t wrong = found(rows, 0) != 0;
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 5000; i++) {
			uint32_t number = add(rows, i);
			wrong += number != i + 1 || rows->at[i].value != (round ? i : 0);
			rows->at[i].value = i;
		}
	CHECK(wrong == 0 && rows->n == 5000, "%u wrong, %zu rows", wrong, rows->n);
	CHECK(found(rows, 4999) == 5000 && found(rows, 5000) == 0, "found another");
}

static int falling(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return x->value < y->value ? 1 : -1;
}

static void sorted(struct rows *rows)
{
	qsort(rows->at, rows->n, sizeof(*rows->at), falling);
	table_free(&rows->table);
	CHECK(add(rows, 5000) == 5001, "a new row has another place");
	uint32_t wrong = 0;
	for (uint32_t i = 0; i < 5000; i++)
		wrong += found(rows, i) != 5000 - i;
	CHECK(wrong == 0 && rows->n == 5001, "%u wrong, %zu rows", wrong, rows->n);
}

/* Three rows of one hash, and one whose hash shares nothing but its slot. */
static void chains(void)
{
	struct table table = {0};
	for (uint32_t row = 1; row <= 3; row++) {
		CHECK(table_reserve(&table) == 0, "no memory");
		table_put(&table, 7, row);
	}
	table_put(&table, 7 + table.room, 4);
	uint32_t probe = 0, row, seen = 0;
	while ((row = table_next(&table, 7, &probe)) != 0)
		seen = 10 * seen + row;
	CHECK(seen == 123, "%u", seen);
	table_free(&table);
}

int main(void)
{
	struct rows rows = {0};
	numbers(&rows);
	sorted(&rows);
	table_free(&rows.table);
	free(rows.at);
	chains();
	return finish();
}
