/* The head of a table that nvprof prints as CSV: a line with the names of the columns, then one
 * with their units. Which columns there are, and in which units, differs from file to file. */
#ifndef IMPORT_NVPROF_TABLE_H
#define IMPORT_NVPROF_TABLE_H

#include "import/csv_lines.h"

#include <stdbool.h>
#include <stdint.h>

enum nvprof_field {
	NVPROF_START,
	NVPROF_DURATION,
	NVPROF_GRID,
	NVPROF_BLOCK = NVPROF_GRID + 3,
	NVPROF_REGISTERS = NVPROF_BLOCK + 3,
	NVPROF_STATIC,
	NVPROF_DYNAMIC,
	NVPROF_SIZE,
	NVPROF_SOURCE,
	NVPROF_TARGET,
	NVPROF_DEVICE,
	NVPROF_CONTEXT,
	NVPROF_STREAM,
	NVPROF_SOURCE_DEVICE,
	NVPROF_TARGET_DEVICE,
	NVPROF_NAME,
	NVPROF_CORRELATION,
	NVPROF_FIELDS
};

enum { NVPROF_COLUMNS_MOST = 64 };

struct nvprof_table {
	size_t n_columns;
	int8_t field[NVPROF_COLUMNS_MOST]; /* enum nvprof_field; -1: a column that is not read */
	bool has[NVPROF_FIELDS];
	/* of times: decimal places of a ns; of sizes: the power of 1,024 */
	int scale[NVPROF_FIELDS];
};

enum nvprof_line { /* what a line is */
				   NVPROF_OTHER,
				   NVPROF_TRACE,   /* names of the columns of a table with a row for each event */
				   NVPROF_SUMMARY, /* those of a table of sums */
				   NVPROF_METRICS  /* those of a table of counters */
};

enum nvprof_line nvprof_line_of(const char *line, size_t bytes);
/* Takes the names of the columns, then the units. NULL, or what is wrong. */
const char *nvprof_table_head(struct nvprof_table *table, const char *line, size_t bytes);
const char *nvprof_table_units(struct nvprof_table *table, const char *line, size_t bytes);

/* Puts the cells of a row where their fields are; those without a column are empty. Returns how
 * many cells the line has, those before a quote that is never closed: then not as many as columns. */
size_t nvprof_table_row(const struct nvprof_table *table, const char *line, size_t bytes,
						struct csv_cell cells[NVPROF_FIELDS]);

/* Values of a row; false: the cell is empty or no such number. */
bool nvprof_time(const struct nvprof_table *table, const struct csv_cell *cells,
				 enum nvprof_field field, int64_t *ns);
bool nvprof_bytes(const struct nvprof_table *table, const struct csv_cell *cells,
				  enum nvprof_field field, int64_t *bytes);
bool nvprof_number(const struct csv_cell *cells, enum nvprof_field field, int64_t *number);
/* The ns that the last printed digit of a time stands for; 0: less than one. */
int64_t nvprof_digit_ns(const struct nvprof_table *table, const struct csv_cell *cells,
						enum nvprof_field field);

#endif
