/* How often each kernel ran on a device and for how long, per feed and name. From this come the
 * summary's kernel rows. */
#ifndef ATTRIBUTE_KERNEL_SUMS_H
#define ATTRIBUTE_KERNEL_SUMS_H

#include "attribute/device_open.h"
#include "base/saturate.h"
#include "summary/counts.h"

enum { COPY_DIRECTIONS = 6, DURATIONS_LISTED = 8192 };

struct kernel_sum {
	uint64_t count;
	int64_t total_ns;
	/* Durations as they came, DURATIONS_LISTED at most (32 KiB), so that memory does not grow with
	 * the run; those beyond 32 bits, and all of a kernel that ran more often, are in the table. */
	uint32_t *durs;
	size_t n_durs, durs_room;
	struct counts dur_ns;
};

struct kernel_sums {
	const struct device_feeds *ds;             /* not owned */
	struct kernel_sum **named;                 /* per feed and name */
	struct kernel_sum copies[COPY_DIRECTIONS]; /* copies without a name */
	struct kernel_sum sets;                    /* memsets without a name */
	struct kernel_sum graphs;                  /* whole graphs: they have none */
};

/* 0 or -ENOMEM. Call kernel_sums_close() also after an error, and before the feeds are closed. */
int kernel_sums_open(struct kernel_sums *sums, const struct device_feeds *ds);
void kernel_sums_close(struct kernel_sums *sums);

/* 0 or -ENOMEM. */
int kernel_sums_add(struct kernel_sums *sums, const struct op *op);
/* The part of kernel_sums_add_ns() for durations for which the list has no room. */
int kernel_sums_add_any(struct kernel_sum *sum, int64_t dur_ns);

/* Adds a run of a kernel. 0 or -ENOMEM. */
static inline int kernel_sums_add_ns(struct kernel_sums *sums, uint32_t feed, uint32_t name,
									 int64_t dur_ns)
{
	struct kernel_sum *sum = &sums->named[feed][name];
	if (sum->n_durs == sum->durs_room || dur_ns > UINT32_MAX)
		return kernel_sums_add_any(sum, dur_ns);
	sum->count++;
	sum->total_ns = saturate_add(sum->total_ns, dur_ns);
	sum->durs[sum->n_durs++] = (uint32_t)dur_ns;
	return 0;
}

/* The name of the op's row. */
const char *kernel_sums_name(const struct feed *feed, const struct op *op);
int kernel_sums_store(struct kernel_sums *sums, struct summary *summary);

#endif
