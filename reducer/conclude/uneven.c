#include "conclude/uneven.h"

#include "base/saturate.h"
#include "base/sort.h"
#include "classify/classes.h"

enum { LEAST_PERCENT = 10 /* above the mean */, DEVICE_PART = 100 /* of the device's own time */ };

struct source { /* what may be uneven: a group, or a direction of copies */
	const char *what;
	enum group group;
	uint32_t direction;
	bool copies;
	uint64_t leaves;
};

/* NCCL is left out: its time is longest on the ranks that wait for others. */
static const struct source sources[] = {
	{"matmul kernels", GROUP_MATMUL, 0, false, LEAF_BIT(LEAF_WORK_MATMUL)},
	{"custom kernels", GROUP_CUSTOM, 0, false, LEAF_BIT(LEAF_WORK_CUSTOM)},
	{"other kernels", GROUP_OTHER, 0, false, LEAF_BIT(LEAF_WORK_OTHER)},
	{"copies and fills within the GPU", GROUP_MEMORY, 0, false, LEAF_BIT(LEAF_WORK_MEMORY)},
	{"copies", GROUP_MEMORY, BATON_COPY_UNKNOWN, true, LEAVES_COPY},
	{"copies from host to GPU", GROUP_MEMORY, BATON_COPY_HTOD, true, LEAVES_COPY},
	{"copies from GPU to host", GROUP_MEMORY, BATON_COPY_DTOH, true, LEAVES_COPY},
	{"copies from host to host", GROUP_MEMORY, BATON_COPY_HTOH, true, LEAVES_COPY},
	{"copies from GPU to GPU", GROUP_MEMORY, BATON_COPY_PEER, true, LEAVES_COPY},
};
_Static_assert(sizeof(sources) / sizeof(sources[0]) + UNEVEN_PAIRS_MOST <= UNEVEN_MOST,
			   "a row for each");

/* Copies that leave the device, of one direction or (-1) of all. */
static int64_t copies_ns(const struct summary *s, const struct device_summary *d, int64_t direction)
{
	int64_t sum = 0;
	for (size_t i = 0; i < s->n_copies; i++)
		if (s->copies[i].device == d->key &&
			(direction < 0 || s->copies[i].direction == (uint32_t)direction))
			sum = saturate_add(sum, s->copies[i].total_ns);
	return sum;
}

/* Per step, plain durations. */
static int64_t time_of(const struct summary *s, const struct device_summary *d,
					   const struct source *source)
{
	const int64_t steps = d->steps > 0 ? d->steps : 1;
	if (source->copies)
		return copies_ns(s, d, source->direction) / steps;
	int64_t ns = d->busy_ns[source->group];
	if (source->group == GROUP_MEMORY)
		ns -= copies_ns(s, d, -1);
	return (ns > 0 ? ns : 0) / steps;
}

static int64_t all_of(const struct device_summary *d)
{
	int64_t sum = 0;
	for (int group = 0; group < SUMMARY_GROUPS; group++)
		sum = saturate_add(sum, d->busy_ns[group]);
	return sum / (d->steps > 0 ? d->steps : 1);
}

static bool find(const struct summary *s, const struct source *source, struct uneven *row)
{
	__int128 sum = 0, exposed = 0;
	*row = (struct uneven){.what = source->what, .copies = source->copies, .most_ns = -1};
	row->leaves = source->leaves;
	for (size_t i = 0; i < s->n_devices; i++) {
		const int64_t ns = time_of(s, &s->devices[i], source);
		sum += ns;
		exposed += figures_device_time(&s->devices[i], source->leaves);
		if (ns > row->most_ns) {
			row->most_ns = ns;
			row->device = i;
		}
	}
	const int64_t n = (int64_t)s->n_devices;
	const int64_t mean_ns = (int64_t)(sum / n), more_ns = row->most_ns - mean_ns;
	const struct device_summary *d = &s->devices[row->device];
	if (mean_ns <= 0 || 100 * (__int128)more_ns < LEAST_PERCENT * (__int128)mean_ns ||
		DEVICE_PART * (__int128)row->most_ns < all_of(d))
		return false;
	row->percent = (int64_t)((100 * (__int128)more_ns + mean_ns / 2) / mean_ns);
	row->leaf_ns = figures_device_time(d, source->leaves) - (int64_t)(exposed / n);
	row->exposed_ns = row->leaf_ns < more_ns ? row->leaf_ns : more_ns;
	return true;
}

/* Pairs first: a device that copies longest may do so because of one. */
static int by_exposed(const void *a, const void *b)
{
	const struct uneven *x = a, *y = b;
	if ((x->pair.pairs > 0) != (y->pair.pairs > 0))
		return x->pair.pairs > 0 ? -1 : 1;
	return (x->exposed_ns < y->exposed_ns) - (x->exposed_ns > y->exposed_ns);
}

/* Directions of copies share one leaf: of what a device has more there, each has what those before
 * it leave. */
static void share_leaves(struct uneven *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t left_ns = rows[i].leaf_ns;
		for (size_t k = 0; k < i; k++)
			if (rows[k].leaves == rows[i].leaves && rows[k].device == rows[i].device)
				left_ns -= rows[k].exposed_ns;
		rows[i].exposed_ns = left_ns < rows[i].exposed_ns ? left_ns : rows[i].exposed_ns;
	}
}

static int find_pairs(const struct summary *s, struct uneven *rows, size_t *n)
{
	struct uneven_pair pairs[UNEVEN_PAIRS_MOST];
	const int error = uneven_pairs_find(s, pairs, n);
	for (size_t i = 0; i < *n && !error; i++) {
		const struct uneven_pair *pair = &pairs[i];
		rows[i] = (struct uneven){.what = "copies",
								  .copies = true,
								  .leaves = LEAVES_COPY,
								  .device = pair->device,
								  .most_ns = pair->ns,
								  .pair = *pair};
		rows[i].leaf_ns = figures_device_time(&s->devices[pair->device], LEAVES_COPY);
		rows[i].exposed_ns = rows[i].leaf_ns < pair->more_ns ? rows[i].leaf_ns : pair->more_ns;
	}
	return error;
}

int uneven_find(const struct summary *s, struct uneven rows[UNEVEN_MOST], size_t *n)
{
	const int error = find_pairs(s, rows, n);
	if (error)
		return error;
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]) && s->n_devices > 1; i++)
		*n += find(s, &sources[i], &rows[*n]);
	sort_rows(rows, *n, sizeof(*rows), by_exposed);
	share_leaves(rows, *n);
	return 0;
}
