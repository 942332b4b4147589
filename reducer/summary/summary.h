/* A reduced run, which every view reads. attribute/ builds it, this module merges it, summary_io
 * stores it. Merging is associative and commutative: summary_merge() and then summary_sort() give
 * the same rows whatever the order of devices, hosts and threads. The summary's pool owns all
 * strings. Times are in ns. */
#ifndef SUMMARY_SUMMARY_H
#define SUMMARY_SUMMARY_H

#include "summary/rows.h"

int summary_init(struct summary *summary); /* 0 or -ENOMEM */
void summary_free(struct summary *summary);

static inline const char *summary_text(const struct summary *summary, uint32_t id)
{
	return strings_get(&summary->pool, id).at;
}

/* *id: the id of a text in the summary's pool, 0 for "". 0 or -ENOMEM. */
int summary_string(struct summary *summary, const char *text, uint32_t *id);

/* The row whose key equals the first fields of `key`. A new row is zeroed after its key. NULL: out
 * of memory. */
void *summary_row(struct summary *summary, enum row_kind kind, const void *key);
/* Merges `row`, whose texts are in this pool, into the row with its key. 0 or -ENOMEM. */
int summary_add(struct summary *summary, enum row_kind kind, const void *row);

/* The row of one key, created and zeroed when it is new. NULL: out of memory. summary_evidence()
 * adds to its row and returns 0 or -ENOMEM. */
struct device_summary *summary_device(struct summary *, const char *key);
struct kernel_summary *summary_kernel(struct summary *, const char *name, const char *class_name);
/* `key`: op, comm, reason, members and bytes, with texts in this pool. */
struct nccl_summary *summary_nccl(struct summary *, const struct nccl_summary *key);
int summary_evidence(struct summary *, const char *device, enum leaf leaf, const char *what,
					 uint64_t count, int64_t ns);
struct late_summary *summary_late(struct summary *, const char *device, int32_t rank);
struct steps_summary *summary_steps(struct summary *, const char *device);
struct late_summary *summary_partial(struct summary *, const char *device, int32_t rank);

/* The row with this key: by, kind, backward, what (in this pool). NULL: out of memory. */
struct site_summary *summary_site(struct summary *, const struct site_summary *key);
/* Adds the leaf, before, count and ns of `add` to the row of this line. 0 or -ENOMEM. */
int summary_stall(struct summary *, const char *device, const char *line,
				  const struct evidence *add);
/* Adds `add` to the row with its leaf and octave. 0 or -ENOMEM. */
int summary_spread(struct summary *, const char *device, const struct spread *add);
/* Adds steps, width and cells of `add` to the row of this device, rank and name. 0 or -ENOMEM. */
int summary_series(struct summary *, const char *device, const char *what,
				   const struct series *add);
/* True when the leaves of a device sum to its window, as they must. */
bool summary_device_adds_up(const struct device_summary *device);
void site_sums_add(struct site_sums *into, const struct site_sums *from);

/* Adds `from` to `into`. 0 or -ENOMEM. */
int summary_merge(struct summary *into, const struct summary *from);
/* Sorts the rows of each kind into its canonical order (summary/row_kinds.c). */
void summary_sort(struct summary *summary);

#endif
