#include "conclude/uneven_pairs.h"

#include "base/saturate.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

enum { LEAST_PERCENT = 10 };
/* The least size of a pair's copies, on average, whose speed says something of the link: shorter ones
 * take most of their time to begin. */
#define LEAST_COPY_BYTES (1 << 20)

struct pair { /* per step */
	uint32_t from, to, device;
	uint64_t count;
	double all_bytes; /* of all steps */
	int64_t most_ns;  /* of the rows with `device` */
	int64_t ns, bytes, sized_ns;
	double gbps; /* 0: not known, or of short copies */
};

struct pairs {
	struct pair *at;
	double *rates;
	size_t n, n_rates;
};

static int by_ends(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return (x->to > y->to) - (x->to < y->to);
}

static int by_rate(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static const struct device_summary *device_of(const struct summary *s, uint32_t key)
{
	for (size_t i = 0; i < s->n_devices; i++)
		if (s->devices[i].key == key)
			return &s->devices[i];
	return NULL;
}

static void add_row(struct pair *into, const struct pair *row)
{
	if (row->most_ns > into->most_ns) {
		into->device = row->device;
		into->most_ns = row->most_ns;
	}
	into->count += row->count;
	into->all_bytes += row->all_bytes;
	into->ns = saturate_add(into->ns, row->ns);
	into->bytes = saturate_add(into->bytes, row->bytes);
	into->sized_ns = saturate_add(into->sized_ns, row->sized_ns);
}

/* A row for each pair, whatever device its copies ran on. */
static int read_pairs(const struct summary *s, struct pairs *pairs)
{
	size_t n = 0;
	pairs->at = calloc(s->n_pairs + 1, sizeof(*pairs->at));
	pairs->rates = calloc(s->n_pairs + 1, sizeof(*pairs->rates));
	if (!pairs->at || !pairs->rates)
		return -ENOMEM;
	for (size_t i = 0; i < s->n_pairs; i++) {
		const struct pair_summary *row = &s->pairs[i];
		const struct device_summary *d = device_of(s, row->device);
		const int64_t steps = d && d->steps > 0 ? d->steps : 1;
		if (d)
			pairs->at[n++] = (struct pair){.from = row->from,
										   .to = row->to,
										   .device = row->device,
										   .count = row->count,
										   .all_bytes = (double)row->bytes,
										   .most_ns = row->total_ns / steps,
										   .ns = row->total_ns / steps,
										   .bytes = row->bytes / steps,
										   .sized_ns = row->sized_ns / steps};
	}
	sort_rows(pairs->at, n, sizeof(*pairs->at), by_ends);
	for (size_t i = 0; i < n; i++)
		if (pairs->n > 0 && by_ends(&pairs->at[pairs->n - 1], &pairs->at[i]) == 0)
			add_row(&pairs->at[pairs->n - 1], &pairs->at[i]);
		else
			pairs->at[pairs->n++] = pairs->at[i];
	return 0;
}

/* The median of the speeds that are known, of two the higher one; 0: fewer than two are. */
static double median_rate(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++) {
		struct pair *pair = &pairs->at[i];
		if (pair->sized_ns > 0 && pair->all_bytes >= LEAST_COPY_BYTES * (double)pair->count) {
			pair->gbps = (double)pair->bytes / (double)pair->sized_ns;
			pairs->rates[pairs->n_rates++] = pair->gbps;
		}
	}
	sort_rows(pairs->rates, pairs->n_rates, sizeof(*pairs->rates), by_rate);
	return pairs->n_rates < 2 ? 0 : pairs->rates[pairs->n_rates / 2];
}

static size_t index_of(const struct summary *s, const struct device_summary *d)
{
	return (size_t)(d - s->devices);
}

static struct uneven_pair row_of(const struct summary *s, const struct pairs *pairs,
								 const struct pair *pair)
{
	return (struct uneven_pair){.from = summary_text(s, pair->from),
								.to = summary_text(s, pair->to),
								.device = index_of(s, device_of(s, pair->device)),
								.pairs = pairs->n,
								.ns = pair->ns,
								.bytes = pair->bytes};
}

static const struct pair *slowest(const struct summary *s, struct pairs *pairs,
								  struct uneven_pair *row)
{
	const double median = median_rate(pairs);
	const struct pair *worst = NULL;
	double most_ns = 0;
	for (size_t i = 0; i < pairs->n; i++) {
		const struct pair *pair = &pairs->at[i];
		const double more_ns =
			median > 0 ? (double)pair->sized_ns - (double)pair->bytes / median : 0;
		if (pair->gbps > 0 && 100 * pair->gbps < (100 - LEAST_PERCENT) * median &&
			more_ns > most_ns) {
			worst = pair;
			most_ns = more_ns;
		}
	}
	if (!worst)
		return NULL;
	*row = row_of(s, pairs, worst);
	row->pairs = pairs->n_rates;
	row->gbps = worst->gbps;
	row->others_gbps = median;
	row->more_ns = (int64_t)most_ns;
	return worst;
}

static const struct pair *longest(const struct summary *s, const struct pairs *pairs,
								  struct uneven_pair *row)
{
	const struct pair *most = &pairs->at[0];
	__int128 sum = 0;
	for (size_t i = 0; i < pairs->n; i++) {
		sum += pairs->at[i].ns;
		most = pairs->at[i].ns > most->ns ? &pairs->at[i] : most;
	}
	const int64_t mean_ns = (int64_t)(sum / (int64_t)pairs->n);
	if (mean_ns <= 0 || 100 * (__int128)(most->ns - mean_ns) < LEAST_PERCENT * (__int128)mean_ns)
		return NULL;
	*row = row_of(s, pairs, most);
	row->more_ns = most->ns - mean_ns;
	return most;
}

int uneven_pairs_find(const struct summary *s, struct uneven_pair at[UNEVEN_PAIRS_MOST], size_t *n)
{
	struct pairs pairs = {0};
	const int error = read_pairs(s, &pairs);
	*n = 0;
	if (!error && pairs.n > 1) {
		const struct pair *slow = slowest(s, &pairs, &at[*n]);
		*n += slow != NULL;
		const struct pair *most = longest(s, &pairs, &at[*n]);
		*n += most && most != slow;
	}
	free(pairs.at);
	free(pairs.rates);
	return error;
}
