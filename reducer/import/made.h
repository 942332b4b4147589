/* Reads back the trace files that an import has made (process, time, contents), and decides which
 * of them belong to one run. */
#ifndef IMPORT_MADE_H
#define IMPORT_MADE_H

#include "base/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct made_file {
	char name[256];   /* name in the output directory */
	const char *from; /* the file it was imported from */
	int64_t pid;
	int32_t rank;
	int32_t world_size;
	int64_t t_min_ns;
	int64_t t_max_ns;
	uint64_t ops; /* kernels among them */
	uint64_t kernels;
	uint64_t calls;
	uint64_t bytes;
	uint32_t group; /* number of its run */
	bool left_out;
};

struct made {
	struct made_file *files;
	size_t n;
	size_t room;
	struct strings names; /* the names of `files`, to recognise new ones */
};

/* Adds the new trace files of `dir`, imported from `from`, which must outlive the list. 0 or
 * -errno. */
int made_collect(struct made *made, const char *dir, const char *from);

/* Removes the files of other runs, and all files but one of a rank or process, and says so. Warns
 * about missing ranks. Returns the number of files left out. */
size_t made_choose(struct made *made, const char *dir);

void made_free(struct made *made);

#endif
