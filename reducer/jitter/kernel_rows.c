/* Kernels by name: how much their time differs from rank to rank and from step to step. */
#include "jitter/odd_ranks.h"

#include "base/sort.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct name_sums {          /* of one name, scratch */
	double *duration, *gap; /* by rank */
	double *variance;       /* by rank: over the steps, of durations and gaps */
};

/* After the collective that closes the step the first gap is the wait for it, longest on the rank
 * that came first. */
static bool gap_counts(const struct jitter_study *s, uint32_t k)
{
	return s->closing == NO_POSITION || k < s->closing;
}

static void add_position(const struct jitter_study *s, uint32_t k, const struct name_sums *sums)
{
	const bool counts = gap_counts(s, k);
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		const double duration = jitter_mean(s, MEASURE_DURATION, k, r);
		const double gap = counts ? jitter_mean(s, MEASURE_GAP, k, r) : 0;
		const double of_duration = jitter_spread(s, MEASURE_DURATION, k, r);
		const double of_gap = counts ? jitter_spread(s, MEASURE_GAP, k, r) : 0;
		if (isnan(duration))
			continue;
		sums->duration[r] += duration;
		sums->gap[r] += gap;
		sums->variance[r] += of_duration * of_duration + of_gap * of_gap;
	}
}

static double mean(const double *values, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += values[i];
	return n ? sum / n : 0;
}

static double deviation(const double *values, uint32_t n)
{
	const double middle = mean(values, n);
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += (values[i] - middle) * (values[i] - middle);
	return n ? sqrt(sum / n) : 0;
}

static void finish_row(const struct jitter_study *s, const struct name_sums *sums,
					   struct kernel_row *row)
{
	const double middle = mean(sums->duration, s->n_ranks) + mean(sums->gap, s->n_ranks);
	row->duration_ns = mean(sums->duration, s->n_ranks);
	row->duration_sd_ns = deviation(sums->duration, s->n_ranks);
	row->gap_sd_ns = deviation(sums->gap, s->n_ranks);
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		const double more = sums->duration[r] + sums->gap[r] - middle;
		row->steps_sd_ns += sqrt(sums->variance[r]) / s->n_ranks;
		if (r == 0 || more > row->most_ns) {
			row->most = r;
			row->most_ns = more;
		}
	}
}

struct named_position {
	uint32_t name, position;
};

static int by_name(const void *a, const void *b)
{
	const struct named_position *x = a, *y = b;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->position < y->position ? -1 : x->position > y->position;
}

static int by_jitter(const void *a, const void *b)
{
	const struct kernel_row *x = a, *y = b;
	const double u = hypot(x->duration_sd_ns, x->gap_sd_ns);
	const double v = hypot(y->duration_sd_ns, y->gap_sd_ns);
	if (u != v)
		return u > v ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void forget(const struct name_sums *sums, uint32_t n)
{
	for (uint32_t r = 0; r < n; r++)
		sums->duration[r] = sums->gap[r] = sums->variance[r] = 0;
}

static void make_rows(struct jitter_verdict *v, const struct named_position *at, uint32_t n,
					  const struct name_sums *sums)
{
	const struct jitter_study *s = v->study;
	for (uint32_t i = 0, end; i < n; i = end) {
		struct kernel_row *row = &v->kernels[v->n_kernels++];
		*row = (struct kernel_row){.name = at[i].name, .first = at[i].position};
		forget(sums, s->n_ranks);
		for (end = i; end < n && at[end].name == at[i].name; end++)
			add_position(s, at[end].position, sums);
		row->positions = end - i;
		finish_row(s, sums, row);
	}
	sort_rows(v->kernels, v->n_kernels, sizeof(*v->kernels), by_jitter);
}

int kernel_rows_make(struct jitter_verdict *v)
{
	const struct jitter_study *s = v->study;
	const size_t ranks = (size_t)s->n_ranks + 1, n = (size_t)s->reference.n + 1;
	struct name_sums sums = {.duration = malloc(ranks * sizeof(double)),
							 .gap = malloc(ranks * sizeof(double)),
							 .variance = malloc(ranks * sizeof(double))};
	struct named_position *at = malloc(n * sizeof(*at));
	v->kernels = malloc(n * sizeof(*v->kernels));
	int error = sums.duration && sums.gap && sums.variance && at && v->kernels ? 0 : -ENOMEM;
	uint32_t others = 0;
	for (uint32_t k = 0; !error && k < s->reference.n; k++)
		if (s->reference.at[k].class != STREAM_NCCL) /* those are longest on who waits */
			at[others++] = (struct named_position){s->reference.at[k].name, k};
	if (!error) {
		sort_rows(at, others, sizeof(*at), by_name);
		make_rows(v, at, others, &sums);
	}
	free(sums.duration);
	free(sums.gap);
	free(sums.variance);
	free(at);
	return error;
}
