#include "jitter/verdict.h"

#include "base/sort.h"
#include "jitter/odd_ranks.h"
#include "jitter/significance.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Causes cancel each other where one of them alone varies so many times as much as their sum. */
#define CANCELLED 2

static bool has_tails(const struct jitter_study *s, uint32_t step)
{
	if (step == 0 || s->axis.number[step] != s->axis.number[step - 1] + 1)
		return false;
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		const struct rank_step *at = jitter_rank_step(s, r, step);
		if (at->counted && (!at->closed || !at[-1].counted || !at[-1].closed))
			return false;
	}
	return true;
}

static int by_value(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* `sorted` is scratch for all ranks. */
static void make_step(struct jitter_verdict *v, uint32_t step, int64_t *sorted)
{
	const struct jitter_study *s = v->study;
	struct step_row *row = &v->steps[step];
	*row = (struct step_row){.number = s->axis.number[step]};
	v->tails[step] = has_tails(s, step);
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		if (!jitter_rank_step(s, r, step)->counted)
			continue;
		const int64_t ns = jitter_to_end(s, r, step);
		if (row->ranks == 0 || ns < row->least_ns) {
			row->least_ns = ns;
			row->least = r;
		}
		if (row->ranks == 0 || ns > row->most_ns) {
			row->most_ns = ns;
			row->most = r;
		}
		row->mean_ns += (double)ns;
		sorted[row->ranks++] = ns;
	}
	sort_rows(sorted, row->ranks, sizeof(*sorted), by_value);
	if (row->ranks) {
		row->mean_ns /= row->ranks;
		row->median_ns = sorted[(row->ranks - 1) / 2];
		row->upper_ns = sorted[row->ranks / 2];
	}
}

/* ---- shares ---- */

struct squares {
	double all, cause[JITTER_CAUSES];
	double own[JITTER_CAUSES]; /* of a cause alone */
	double *of_rank;           /* sums of deviations */
	double values;
};

static void add_step(const struct jitter_verdict *v, uint32_t step, struct squares *sq)
{
	const struct jitter_study *s = v->study;
	const struct step_row *row = &v->steps[step];
	double mean[JITTER_CAUSES] = {0};
	int64_t part[JITTER_CAUSES];
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		if (!jitter_rank_step(s, r, step)->counted)
			continue;
		jitter_parts(v, r, step, part);
		for (int c = 0; c < JITTER_CAUSES; c++)
			mean[c] += (double)part[c] / row->ranks;
	}
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		if (!jitter_rank_step(s, r, step)->counted)
			continue;
		const double x = (double)jitter_to_end(s, r, step) - row->mean_ns;
		jitter_parts(v, r, step, part);
		for (int c = 0; c < JITTER_CAUSES; c++) {
			const double y = (double)part[c] - mean[c];
			sq->cause[c] += x * y;
			sq->own[c] += y * y;
		}
		sq->all += x * x;
		sq->of_rank[r] += x;
		sq->values++;
	}
}

/* Of all ranks with the host of rank `first`, if it is the first one of them: what they have in
 * common. */
static double of_host(const struct jitter_study *s, const struct squares *sq, uint32_t first)
{
	double sum = 0, steps = 0;
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		if (strcmp(s->ranks[r].host, s->ranks[first].host) != 0)
			continue;
		if (r < first)
			return 0;
		sum += sq->of_rank[r];
		steps += s->ranks[r].steps;
	}
	return steps > 0 ? sum * sum / steps : 0;
}

static int make_shares(struct jitter_verdict *v)
{
	const struct jitter_study *s = v->study;
	double hosts = 0, ranks = 0;
	struct squares sq = {.of_rank = calloc((size_t)s->n_ranks + 1, sizeof(double))};
	if (!sq.of_rank)
		return -ENOMEM;
	for (uint32_t step = 0; step < s->axis.n; step++)
		add_step(v, step, &sq);
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		hosts += of_host(s, &sq, r);
		ranks += s->ranks[r].steps ? sq.of_rank[r] * sq.of_rank[r] / s->ranks[r].steps : 0;
	}
	for (int c = 0; c < JITTER_CAUSES; c++)
		v->cancel |= sq.own[c] > CANCELLED * CANCELLED * sq.all;
	for (int c = 0; c < JITTER_CAUSES; c++)
		v->cause_share[c] = sq.all > 0 && !v->cancel ? sq.cause[c] / sq.all : NAN;
	v->place_share[SHARE_HOST] = sq.all > 0 ? hosts / sq.all : NAN;
	v->place_share[SHARE_RANK] = sq.all > 0 ? (ranks - hosts) / sq.all : NAN;
	v->place_share[SHARE_STEP] = sq.all > 0 ? 1 - ranks / sq.all : NAN;
	v->jitter_ns = sq.values > 0 ? sqrt(sq.all / sq.values) : 0;
	free(sq.of_rank);
	return 0;
}

int jitter_verdict_make(struct jitter_verdict *v, const struct jitter_study *s)
{
	int64_t *sorted = malloc(((size_t)s->n_ranks + 1) * sizeof(*sorted));
	*v = (struct jitter_verdict){.study = s};
	v->steps = calloc((size_t)s->axis.n + 1, sizeof(*v->steps));
	v->tails = calloc((size_t)s->axis.n + 1, sizeof(*v->tails));
	v->ranks = calloc((size_t)s->n_ranks + 1, sizeof(*v->ranks));
	int error = sorted && v->steps && v->tails && v->ranks ? 0 : -ENOMEM;
	for (uint32_t step = 0; !error && step < s->axis.n; step++)
		make_step(v, step, sorted);
	if (!error)
		error = make_shares(v);
	if (!error)
		error = kernel_rows_make(v);
	if (!error)
		error = odd_ranks_find(v);
	free(sorted);
	if (error)
		jitter_verdict_free(v);
	return error;
}

void jitter_verdict_free(struct jitter_verdict *v)
{
	free(v->steps);
	free(v->tails);
	free(v->ranks);
	free(v->odd);
	free(v->kernels);
	memset(v, 0, sizeof(*v));
}
