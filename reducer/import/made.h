/* The trace files an import has made, read back: whose they are, when they were, what they hold.
 * Tells which of them belong to one run. */
#ifndef IMPORT_MADE_H
#define IMPORT_MADE_H

#include "base/strings.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct made_file {
	char name[256];   /* in the output directory */
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
	uint32_t group; /* files of one run */
	bool left_out;
};

struct made {
	struct made_file *files;
	size_t n;
	size_t room;
	struct strings names; /* of the files, to tell new ones */
};

/* Adds what is new in the directory; `from` must outlive the list. 0 or -errno. */
int made_collect(struct made *made, const char *dir, const char *from);

/* Removes the files of other runs and second files of one rank or process, and says so; notes
 * missing ranks. Returns how many files were left out. */
size_t made_choose(struct made *made, const char *dir);

void made_free(struct made *made);

#endif
