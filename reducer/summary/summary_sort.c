#include "summary/summary.h"

#include <stdlib.h>
#include <string.h>

static int compare_numbers(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_texts(const struct summary *s, uint32_t a, uint32_t b)
{
	return strcmp(summary_text(s, a), summary_text(s, b));
}

static int by_rank(const void *a, const void *b, void *context)
{
	const struct device_summary *x = a, *y = b;
	uint32_t xr = x->n_processes ? (uint32_t)x->ranks[0] : UINT32_MAX; /* -1 sorts last */
	uint32_t yr = y->n_processes ? (uint32_t)y->ranks[0] : UINT32_MAX;
	return xr != yr ? compare_numbers(xr, yr) : compare_texts(context, x->key, y->key);
}

static int by_total(const void *a, const void *b, void *context)
{
	const struct kernel_summary *x = a, *y = b;
	if (x->total_ns != y->total_ns)
		return compare_numbers(y->total_ns, x->total_ns);
	int names = compare_texts(context, x->name, y->name);
	return names ? names : compare_texts(context, x->class_name, y->class_name);
}

static int by_nccl_time(const void *a, const void *b, void *context)
{
	const struct nccl_summary *x = a, *y = b;
	int64_t xt = x->transfer_ns + x->wait_ns + x->unsplit_ns,
			yt = y->transfer_ns + y->wait_ns + y->unsplit_ns;
	int order = compare_numbers(yt, xt);
	order = order ? order : compare_texts(context, x->op, y->op);
	order = order ? order : compare_texts(context, x->comm, y->comm);
	order = order ? order : compare_numbers(x->bytes, y->bytes);
	order = order ? order : compare_numbers(x->members, y->members);
	return order ? order : compare_texts(context, x->reason, y->reason);
}

static int by_evidence_time(const void *a, const void *b, void *context)
{
	const struct evidence *x = a, *y = b;
	int order = compare_numbers(y->ns, x->ns);
	order = order ? order : compare_texts(context, x->device, y->device);
	order = order ? order : compare_numbers(x->leaf, y->leaf);
	order = order ? order : compare_numbers(x->before, y->before);
	return order ? order : compare_texts(context, x->what, y->what);
}

static int by_octave(const void *a, const void *b, void *context)
{
	const struct spread *x = a, *y = b;
	int order = compare_texts(context, x->device, y->device);
	order = order ? order : compare_numbers(x->leaf, y->leaf);
	return order ? order : compare_numbers(x->octave, y->octave);
}

static int by_caused(const void *a, const void *b, void *context)
{
	const struct late_summary *x = a, *y = b;
	int order = compare_numbers(y->caused_ns, x->caused_ns);
	order = order ? order : compare_numbers(x->rank, y->rank);
	return order ? order : compare_texts(context, x->device, y->device);
}

/* The order of the tables: the project's code first, then the dearest (docs/ATTRIBUTION.md 8). */
static int by_cost(const void *a, const void *b, void *context)
{
	const struct site_summary *x = a, *y = b;
	int order = compare_numbers(x->by, y->by);
	order = order ? order : compare_numbers(x->kind, y->kind);
	order = order ? order : compare_numbers(site_weight(&y->sums), site_weight(&x->sums));
	order = order ? order : compare_texts(context, x->what, y->what);
	return order ? order : compare_numbers(x->backward, y->backward);
}

static void sort_rows(struct summary *s, void *rows, size_t n, size_t bytes, struct table *index,
					  int (*order)(const void *, const void *, void *))
{
	if (n > 1)
		qsort_r(rows, n, bytes, order, s);
	table_free(index); /* row numbers changed: made anew when a row is added */
}

/* How many tables are rounded depends on what they hold, not on how they were merged. */
static void count_rounded(struct summary *s)
{
	s->quality.rounded_quantiles = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		s->quality.rounded_quantiles += s->devices[i].step_ns.rounded;
	for (size_t i = 0; i < s->n_kernels; i++)
		s->quality.rounded_quantiles += s->kernels[i].dur_ns.rounded;
}

void summary_sort(struct summary *s)
{
	count_rounded(s);
	sort_rows(s, s->devices, s->n_devices, sizeof(*s->devices), &s->index_devices, by_rank);
	sort_rows(s, s->kernels, s->n_kernels, sizeof(*s->kernels), &s->index_kernels, by_total);
	sort_rows(s, s->nccl, s->n_nccl, sizeof(*s->nccl), &s->index_nccl, by_nccl_time);
	sort_rows(s, s->evidence, s->n_evidence, sizeof(*s->evidence), &s->index_evidence,
			  by_evidence_time);
	sort_rows(s, s->stalls, s->n_stalls, sizeof(*s->stalls), &s->index_stalls, by_evidence_time);
	sort_rows(s, s->spreads, s->n_spreads, sizeof(*s->spreads), &s->index_spreads, by_octave);
	sort_rows(s, s->sites, s->n_sites, sizeof(*s->sites), &s->index_sites, by_cost);
	sort_rows(s, s->late, s->n_late, sizeof(*s->late), &s->index_late, by_caused);
	sort_rows(s, s->partial, s->n_partial, sizeof(*s->partial), &s->index_partial, by_caused);
}
