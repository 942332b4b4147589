#include "graph/compare.h"

#include <errno.h>
#include <stdlib.h>

struct place { /* a position with its number among those of its key and unit */
	uint64_t key;
	int64_t ns;
	uint32_t index;
};

static int by_unit(const void *a, const void *b)
{
	const struct position *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->unit != y->unit)
		return x->unit < y->unit ? -1 : 1;
	return x->edge < y->edge ? -1 : x->edge > y->edge;
}

static int by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The median of `n` sorted places without number `without`. */
static int64_t median_of_others(const struct place *places, size_t n, size_t without)
{
	if (n < 2)
		return -1;
	size_t low = (n - 2) / 2, high = (n - 1) / 2;
	low += low >= without;
	high += high >= without;
	return places[low].ns + (places[high].ns - places[low].ns) / 2;
}

static void compare_group(const struct place *places, size_t n, struct compared *out)
{
	__int128 sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += places[i].ns;
	for (size_t i = 0; i < n; i++) {
		struct compared *row = &out[places[i].index];
		row->others_ns = median_of_others(places, n, i);
		row->mean_ns = (int64_t)(sum / (__int128)n);
	}
}

int compare_positions(const struct position *positions, size_t n, struct compared **out)
{
	struct position *sorted = malloc((n + 1) * sizeof(*sorted));
	struct place *places = malloc((n + 1) * sizeof(*places));
	*out = malloc((n + 1) * sizeof(**out));
	if (!sorted || !places || !*out) {
		free(sorted);
		free(places);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		sorted[i] = positions[i];
	qsort(sorted, n, sizeof(*sorted), by_unit);
	uint64_t number = 0;
	for (size_t i = 0; i < n; i++) {
		const bool again =
			i && sorted[i].key == sorted[i - 1].key && sorted[i].unit == sorted[i - 1].unit;
		number = again ? number + 1 : 0;
		places[i] =
			(struct place){sorted[i].key + number * 0x9E3779B97F4A7C15u, sorted[i].ns, (uint32_t)i};
		(*out)[i] =
			(struct compared){.ns = sorted[i].ns, .edge = sorted[i].edge, .unit = sorted[i].unit};
	}
	qsort(places, n, sizeof(*places), by_time);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && places[end].key == places[i].key; end++)
			;
		compare_group(&places[i], end - i, *out);
	}
	free(sorted);
	free(places);
	return 0;
}
