#include "attribute/slices.h"

#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum {
	LEAST = 6,
	LEAST_KERNELS = 3,
	NEAR_PART = 16,
	STEADY_PART = 4, /* of the spread of the launches */
	LEAST_SPREAD_NS = 10000
};

void slices_add(struct slices *slices, int64_t ns, int64_t late_ns, uint64_t kernel)
{
	if (slices->n == SLICES_MOST || late_ns < SLICE_LATE_NS)
		return;
	slices->ns[slices->n] = ns;
	slices->late_ns[slices->n] = late_ns;
	slices->kernels[slices->n++] = kernel;
}

void slices_keep_late(struct slices *slices, int64_t lag_ns)
{
	size_t n = 0;
	for (size_t i = 0; i < slices->n; i++) {
		if (slices->late_ns[i] - SLICE_LATE_NS < lag_ns)
			continue;
		slices->ns[n] = slices->ns[i];
		slices->late_ns[n] = slices->late_ns[i];
		slices->kernels[n++] = slices->kernels[i];
	}
	slices->n = n;
}

static int by_ns(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Is a length a whole number of slices? */
static bool is_regular(int64_t ns, int64_t slice_ns)
{
	const int64_t over_ns = ns % slice_ns, under_ns = slice_ns - over_ns;
	const int64_t off_ns = ns < slice_ns || under_ns < over_ns ? under_ns : over_ns;
	return NEAR_PART * (__int128)off_ns <= slice_ns;
}

static bool is_first(const struct slices *slices, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (slices->kernels[k] == slices->kernels[i])
			return false;
	return true;
}

/* From the first quarter to the last one of `n` values. */
static int64_t spread(int64_t *values, size_t n)
{
	sort_rows(values, n, sizeof(*values), by_ns);
	return values[(3 * n + 3) / 4 - 1] - values[(n + 3) / 4 - 1];
}

/* Do the starts hang on when the GPU ran out of work, and not on when the work was launched? What the
 * program waits for on its own comes after the launch: a launch that comes later starts later. */
static bool ignores_launches(const struct slices *slices, int64_t slice_ns)
{
	int64_t off_ns[SLICES_MOST], late_ns[SLICES_MOST], into_ns[SLICES_MOST];
	size_t n = 0;
	for (size_t i = 0; i < slices->n; i++) {
		const int64_t ns = slices->ns[i];
		const int64_t whole = ns < slice_ns ? 1 : ns / slice_ns + (ns % slice_ns > slice_ns / 2);
		if (!is_regular(ns, slice_ns))
			continue;
		off_ns[n] = ns - whole * slice_ns;
		into_ns[n] = ns - slices->late_ns[i];
		late_ns[n++] = slices->late_ns[i];
	}
	if (n == 0)
		return false;
	const int64_t late = spread(late_ns, n), into = spread(into_ns, n);
	const int64_t least = late < into ? late : into;
	return least >= LEAST_SPREAD_NS && STEADY_PART * (__int128)spread(off_ns, n) <= least;
}

/* Of all, and of kernels: the same in each step may be the program's, slices meet whatever comes. */
bool slices_shared(const struct slices *slices)
{
	int64_t sorted[SLICES_MOST];
	size_t regular = 0, kernels = 0, regular_kernels = 0;
	if (slices->n < LEAST)
		return false;
	memcpy(sorted, slices->ns, slices->n * sizeof(*sorted));
	sort_rows(sorted, slices->n, sizeof(*sorted), by_ns);
	const int64_t slice_ns = sorted[(slices->n + 3) / 4 - 1];
	for (size_t i = 0; i < slices->n; i++) {
		const bool is = is_regular(slices->ns[i], slice_ns), first = is_first(slices, i);
		regular += is;
		kernels += first;
		regular_kernels += first && is;
	}
	return 4 * regular >= 3 * slices->n && 4 * regular_kernels >= 3 * kernels &&
		   (kernels >= LEAST_KERNELS || ignores_launches(slices, slice_ns));
}
