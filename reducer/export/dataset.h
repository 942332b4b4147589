/* A data set: a directory for each table, in it one for each rank and step, in them files of at most
 * BATCH_ROWS_MOST rows. A few files of a table are filled at a time, so that memory does not grow with
 * the run. */
#ifndef EXPORT_DATASET_H
#define EXPORT_DATASET_H

#include "export/dataset_batch.h"

#include <stdio.h>

struct dataset_form {
	const char *name, *suffix;
	int (*write)(const struct batch *batch, FILE *out); /* 0 or -errno */
};

extern const struct dataset_form dataset_csv, dataset_parquet, dataset_arrow;

enum { DATASET_OPEN_MOST = 6 };

struct dataset_part { /* a file that is being filled */
	int32_t rank;
	int64_t step;
	uint64_t used; /* when */
	struct batch batch;
};

struct dataset_open_table {
	struct dataset_part parts[DATASET_OPEN_MOST];
	unsigned n_parts;
	uint64_t files, rows;
};

struct dataset {
	const struct dataset_form *form;
	const char *dir;
	unsigned levels; /* directories in a table: 0; 1: by rank; 2: by step too */
	struct dataset_open_table tables[DATASET_TABLES];
	uint64_t now;
};

/* Adds a row: cells for the columns of the table, whose first is the rank and, of tables by step,
 * whose second is the step. 0 or -errno. */
int dataset_add(struct dataset *set, enum dataset_kind kind, const struct cell *row);
/* Writes what is left, and an empty file for a table without rows. 0 or -errno. */
int dataset_finish(struct dataset *set);
/* Frees all, whether it was finished or not. */
void dataset_close(struct dataset *set);

#endif
