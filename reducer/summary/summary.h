/* A reduced run: what every view reads. Built by attribute/, merged here, stored by summary_io.
 * Merging is associative and commutative: summary_merge + summary_sort gives the same rows whatever
 * the order of devices, hosts and threads. All strings belong to the summary's pool. Times in ns.
 */
#ifndef SUMMARY_SUMMARY_H
#define SUMMARY_SUMMARY_H

#include "summary/rows.h"

int summary_init(struct summary *summary); /* 0 or -ENOMEM */
void summary_free(struct summary *summary);

static inline const char *summary_text(const struct summary *summary, uint32_t id)
{
	return strings_get(&summary->pool, id).at;
}

/* The id of a text in the summary's pool, 0 for "". 0 or -ENOMEM. */
int summary_string(struct summary *summary, const char *text, uint32_t *id);

/* The row with the key that `key` begins with, zero behind it when it is new. NULL: out of memory.
 */
void *summary_row(struct summary *summary, enum row_kind kind, const void *key);
/* Merges a row whose texts are in this pool. 0 or -ENOMEM. */
int summary_add(struct summary *summary, enum row_kind kind, const void *row);

/* Rows for one key, made zeroed when new; NULL when memory is out. */
struct device_summary *summary_device(struct summary *, const char *key);
struct kernel_summary *summary_kernel(struct summary *, const char *name, const char *class_name);
struct nccl_summary *summary_nccl(
	struct summary *,
	const struct nccl_summary *key); /* op comm reason members bytes, in this pool */
int summary_evidence(struct summary *, const char *device, enum leaf leaf, const char *what,
					 uint64_t count, int64_t ns);
struct late_summary *summary_late(struct summary *, const char *device, int32_t rank);
struct late_summary *summary_partial(struct summary *, const char *device, int32_t rank);

/* The row with this key: by, kind, backward, what (in this pool). */
struct site_summary *summary_site(struct summary *, const struct site_summary *key);
/* `add`: leaf, before, count, ns. */
int summary_stall(struct summary *, const char *device, const char *line,
				  const struct evidence *add);
/* Adds `add` to the row with its leaf and octave. */
int summary_spread(struct summary *, const char *device, const struct spread *add);
/* Do the leaves of a device sum to its window, as they must? */
bool summary_device_adds_up(const struct device_summary *device);
void site_sums_add(struct site_sums *into, const struct site_sums *from);

/* Adds `from` to `into`. 0 or -ENOMEM. */
int summary_merge(struct summary *into, const struct summary *from);
/* Brings the rows of each kind into its canonical order (summary/row_kinds.c). */
void summary_sort(struct summary *summary);

#endif
