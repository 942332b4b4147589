/* Copies by device, direction, kinds of memory and the devices between which they go: how many, how
 * long, how large, how fast; and the pairs of GPUs that are slower than the others. One thread. */
#ifndef STATS_COPIES_H
#define STATS_COPIES_H

#include "base/table.h"
#include "render/sheet.h"
#include "stats/events.h"

struct copy_sum {
	uint32_t device;   /* where it ran; a name in the run's pool, like from and to */
	uint32_t from, to; /* 0: not said, or no device */
	uint32_t direction, memory;
	uint32_t zero;
	int64_t ns;
	int64_t bytes, sized_ns; /* of those whose size is known */
	uint64_t n;
};

struct copies { /* all zero: none */
	struct copy_sum *rows;
	size_t n;
	struct table table;
};

/* Adds a row of kind BATON_MEMCPY of the device with this name. 0 or -ENOMEM. */
int copies_add(struct copies *copies, struct stats_file *file, const struct rows *op,
			   uint32_t device);
void copies_free(struct copies *copies);

/* Sorts the rows: the longest of a device first. */
void copies_sort(struct copies *copies, const struct stats_run *run);
/* A table of them, and lines `Uneven:` of pairs. 0 or -ENOMEM. */
int copies_print(const struct copies *copies, const struct stats_run *run, enum sheet_format format,
				 FILE *out);
/* Pairs of GPUs: a line for the one whose copies take longest, and for the one that is slowest, where
 * they differ from the mean of all pairs. `before` stands in front of each line. */
int copies_say_uneven(const struct copies *copies, const struct stats_run *run, const char *before,
					  FILE *out);

/* `report --by copy` of an open run, or of its part. An enum status. */
int copies_report(struct stats_run *run, enum sheet_format format, FILE *out);

#endif
