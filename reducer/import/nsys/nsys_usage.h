/* What allocations and releases said of memory (CUDA_GPU_MEMORY_USAGE_EVENTS): by process and
 * correlation id, for the rows of the calls. One thread. */
#ifndef IMPORT_NSYS_USAGE_H
#define IMPORT_NSYS_USAGE_H

#include "base/table.h"
#include "import/nsys/nsys_file.h"

struct nsys_usage_row {
	int64_t process, correlation; /* process: globalPid, or 0 */
	int64_t bytes;
	int64_t kind; /* enum baton_memory */
};

struct nsys_usage {
	struct nsys_usage_row *rows;
	size_t n;
	struct table table;
};

/* Reads the table if the export has it. What is beyond its limit, or finds no memory, is counted. */
void nsys_usage_load(struct nsys_usage *usage, struct nsys_file *file);
void nsys_usage_free(struct nsys_usage *usage);
/* Of a call of the process; NULL: the export says nothing of it. */
const struct nsys_usage_row *nsys_usage_find(const struct nsys_usage *usage,
											 const struct nsys_process *process,
											 int64_t correlation);

#endif
