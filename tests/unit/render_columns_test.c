/* Tables: cells stand below their heads, the last column takes the rest of the line. */
#include "check.h"
#include "render/columns.h"

#include <stdlib.h>
#include <string.h>

static const struct column columns[] = {
	{"name", 0, 6, COLUMN_LEFT}, {"ms", 1, 5, COLUMN_RIGHT}, {"why", 2, 0, COLUMN_LEFT}};

static void printed(int width, enum columns_style style, const char *why, const char *expected)
{
	char *got = NULL;
	size_t bytes;
	FILE *out = open_memstream(&got, &bytes);
	struct screen screen = {.out = out, .width = width, .decimals = 1};
	struct columns table;
	columns_open(&table, &screen, columns, sizeof(columns) / sizeof(columns[0]));
	columns_heads(&table);
	columns_cell(&table, "%s", "a");
	columns_ms(&table, 2500000);
	columns_cell(&table, "%s", why);
	columns_cell(&table, "beyond the last column");
	columns_end(&table, style);
	columns_cell(&table, "next");
	columns_end(&table, style);
	fclose(out);
	CHECK(strcmp(got, expected) == 0, "%d columns wide: '%s'", width, got);
	free(got);
}

/* A screen too narrow for the numbers shows fewer of them; the room of the last column is kept. */
static void dropped(int width, const char *expected)
{
	static const struct column many[] = {{"run", 0, 4, COLUMN_LEFT},
										 {"step ms", 1, 7, COLUMN_RIGHT},
										 {"lost ms", 1, 7, COLUMN_RIGHT},
										 {"why", 2, -8, COLUMN_LEFT}};
	char *got = NULL;
	size_t bytes;
	FILE *out = open_memstream(&got, &bytes);
	struct screen screen = {.out = out, .width = width, .decimals = 1};
	struct columns table;
	columns_open(&table, &screen, many, sizeof(many) / sizeof(many[0]));
	columns_heads(&table);
	columns_cell(&table, "%s", "a");
	columns_ms(&table, 1000000);
	columns_ms(&table, 2000000);
	columns_cell(&table, "%s", "input, sync");
	CHECK(columns_last(&table) == (int)(strstr(table.line, "input") - table.line),
		  "%d wide: the last column begins elsewhere", width);
	columns_end(&table, COLUMNS_PLAIN);
	fclose(out);
	CHECK(strcmp(got, expected) == 0, "%d wide: '%s'", width, got);
	free(got);
}

int main(void)
{
	dropped(40, "run  step ms lost ms  why\na        1.0     2.0  input, sync\n");
	dropped(29, "run  step ms  why\na        1.0  input, sync\n");
	dropped(20, "run   why\na     input, sync\n");
	char long_cell[5000];
	printed(40, COLUMNS_PLAIN, "so", "name      ms  why\na        2.5  so\nnext\n");
	printed(40, COLUMNS_WRAPPED, "one two three four five six",
			"name      ms  why\na        2.5  one two three four five\n              six\nnext\n");
	printed(40, COLUMNS_PLAIN, "one two three four five six",
			"name      ms  why\na        2.5  one two three four five si\nnext\n");
	memset(long_cell, 'x', sizeof(long_cell) - 1);
	long_cell[sizeof(long_cell) - 1] = 0;
	printed(16, COLUMNS_PLAIN, long_cell, "name      ms  wh\na        2.5  xx\nnext\n");
	return finish();
}
