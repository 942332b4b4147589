/* The copies that leave a device's memory or come into it: to and from the host, pageable ones, and
 * to other devices. Copies within the device's memory are its work like a kernel's. */
#ifndef ATTRIBUTE_COPY_SUMS_H
#define ATTRIBUTE_COPY_SUMS_H

#include "attribute/opstream.h"
#include "base/table.h"
#include "summary/summary.h"

struct copy_ends { /* copies of a process from one device to another */
	uint32_t feed, ends;
	struct pair_summary sums;
};

struct copy_sums {
	struct copy_summary of[BATON_S_COPY_DIRECTIONS][2]; /* by direction, pageable */
	struct copy_ends *ends;
	size_t n;
	struct table table;
};

static inline bool copy_leaves_device(const struct op *op)
{
	return op->kind == BATON_MEMCPY && op->copy_dir != BATON_COPY_DTOD &&
		   (op->copy_dir != BATON_COPY_UNKNOWN || op->flags & OP_IS_PAGEABLE);
}

/* 0 or -ENOMEM. */
int copy_sums_add(struct copy_sums *sums, const struct op *op);
/* Into rows of `device`. 0 or -ENOMEM. */
int copy_sums_store(const struct copy_sums *sums, const struct feed *feeds, struct summary *summary,
					const char *device);
void copy_sums_close(struct copy_sums *sums);

#endif
