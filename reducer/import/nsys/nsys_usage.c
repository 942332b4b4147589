#include "import/nsys/nsys_usage.h"

#include "import/nsys/nsys_memories.h"

#include <stdlib.h>

enum { MOST = 1 << 20 }; /* 32 MiB of rows */

/* The row of this call; NULL: there is none, and no room for one. */
static struct nsys_usage_row *row_of(struct nsys_usage *usage, const struct nsys_usage_row *key)
{
	if (usage->n < MOST)
		return table_row(&usage->table, TABLE_ROWS(usage->rows, usage->n, correlation), key);
	const uint32_t found = table_find(&usage->table, usage->rows,
									  TABLE_SHAPE(struct nsys_usage_row, correlation), key);
	return found ? &usage->rows[found - 1] : NULL;
}

static void take(struct nsys_usage *usage, struct nsys_file *file, const struct nsys_scan *scan,
				 const struct nsys_enum *memories)
{
	struct nsys_usage_row key = {.process = nsys_int_or(scan, 0, 0)};
	int64_t bytes;
	if (!nsys_int(scan, 1, &key.correlation) || !nsys_int(scan, 2, &bytes) || bytes < 0)
		return;
	struct nsys_usage_row *row = row_of(usage, &key);
	if (!row)
		nsys_refuse(file, NSYS_TOO_MANY_USAGES);
	if (!row || bytes < row->bytes)
		return;
	row->bytes = bytes;
	row->kind = nsys_enum_value(memories, nsys_int_or(scan, 3, -1));
}

void nsys_usage_load(struct nsys_usage *usage, struct nsys_file *file)
{
	static const struct nsys_table table = {
		.name = "CUDA_GPU_MEMORY_USAGE_EVENTS",
		.fields = {{.column = "globalPid"},
				   {.column = "correlationId"},
				   {.column = "bytes"},
				   {.column = "memKind"}},
	};
	struct nsys_enum memories;
	struct nsys_scan scan;
	*usage = (struct nsys_usage){0};
	nsys_enum_load(&memories, &file->db, &nsys_memories);
	nsys_scan_open(&scan, &file->db, &table);
	while (nsys_scan_next(&scan))
		take(usage, file, &scan, &memories);
}

void nsys_usage_free(struct nsys_usage *usage)
{
	free(usage->rows);
	table_free(&usage->table);
}

const struct nsys_usage_row *nsys_usage_find(const struct nsys_usage *usage,
											 const struct nsys_process *process,
											 int64_t correlation)
{
	const struct nsys_usage_row key = {.process = process->global, .correlation = correlation};
	const uint32_t found = usage->n
							   ? table_find(&usage->table, usage->rows,
											TABLE_SHAPE(struct nsys_usage_row, correlation), &key)
							   : 0;
	return found ? &usage->rows[found - 1] : NULL;
}
