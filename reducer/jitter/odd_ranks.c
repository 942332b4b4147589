#include "jitter/odd_ranks.h"

#include "base/room.h"
#include "base/sort.h"
#include "jitter/significance.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a rank has to be late by, in parts of a step, and how sure that must be. */
#define LEAST_PART 0.01
#define LEAST_SURE 0.01
/* A rank that lacks this part of the positions launches other kernels than the sequence. */
#define OTHER_PART 0.05

struct placing { /* scratch for all ranks */
	double *values, *places;
	uint32_t *order, *rank;
	double *variance; /* by rank: of the sum of its places */
	double *chance;   /* by rank: in how many steps it is the last one by chance */
};

/* ---- what is known of each rank ---- */

static void add_place(struct jitter_verdict *v, const struct placing *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct rank_row *row = &v->ranks[p->rank[i]];
		row->places += p->places[i] - ((double)n + 1) / 2;
		p->variance[p->rank[i]] += ((double)n * n - 1) / 12;
		p->chance[p->rank[i]] += 1.0 / n;
		row->steps++;
	}
}

static void place_step(struct jitter_verdict *v, uint32_t step, const struct placing *p)
{
	const struct jitter_study *s = v->study;
	uint32_t n = 0;
	for (uint32_t r = 0; r < s->n_ranks; r++)
		if (jitter_rank_step(s, r, step)->counted) {
			p->values[n] = (double)jitter_to_end(s, r, step);
			p->rank[n++] = r;
		}
	if (n < 2)
		return;
	rank_places(p->values, n, p->order, p->places);
	add_place(v, p, n);
	v->ranks[v->steps[step].most].last++;
}

/* Adds how much later than the mean of the others the rank is in a step, and by what. */
static void add_behind(const struct jitter_verdict *v, struct odd_rank *odd, uint32_t step)
{
	const struct jitter_study *s = v->study;
	const double others = v->steps[step].ranks - 1;
	int64_t of[JITTER_CAUSES];
	for (uint32_t r = 0; others > 0 && r < s->n_ranks; r++) {
		if (!jitter_rank_step(s, r, step)->counted)
			continue;
		const double weight = r == odd->rank ? 1 : -1 / others;
		jitter_parts(v, r, step, of);
		odd->behind_ns += weight * (double)jitter_to_end(s, r, step);
		for (int c = 0; c < JITTER_CAUSES; c++)
			odd->part_ns[c] += weight * (double)of[c];
	}
}

/* The same for all ranks and one step, without a loop over all others for each. */
static void add_all_behind(struct jitter_verdict *v, uint32_t step)
{
	const struct jitter_study *s = v->study;
	const double n = v->steps[step].ranks;
	int64_t of[JITTER_CAUSES];
	double sum[JITTER_CAUSES] = {0};
	if (n < 2)
		return;
	for (uint32_t r = 0; r < s->n_ranks; r++)
		if (jitter_rank_step(s, r, step)->counted) {
			jitter_parts(v, r, step, of);
			for (int c = 0; c < JITTER_CAUSES; c++)
				sum[c] += (double)of[c];
		}
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		if (!jitter_rank_step(s, r, step)->counted)
			continue;
		struct rank_row *row = &v->ranks[r];
		jitter_parts(v, r, step, of);
		row->behind_ns +=
			((double)jitter_to_end(s, r, step) - v->steps[step].mean_ns) * n / (n - 1);
		for (int c = 0; c < JITTER_CAUSES; c++)
			row->part_ns[c] += ((double)of[c] - sum[c] / n) * n / (n - 1);
	}
}

static int correct(struct jitter_verdict *v)
{
	const uint32_t n = v->study->n_ranks;
	double *p = malloc((3 * (size_t)n + 1) * sizeof(*p));
	if (!p)
		return -ENOMEM;
	for (uint32_t r = 0; r < n; r++) {
		p[r] = v->ranks[r].p_late;
		p[n + r] = v->ranks[r].p_early;
		p[2 * n + r] = v->ranks[r].p_last;
	}
	int error = holm_correct(p, 3 * (size_t)n);
	for (uint32_t r = 0; r < n; r++) {
		v->ranks[r].p_late = p[r];
		v->ranks[r].p_early = p[n + r];
		v->ranks[r].p_last = p[2 * n + r];
	}
	free(p);
	return error;
}

static int know_ranks(struct jitter_verdict *v, const struct placing *p)
{
	const struct jitter_study *s = v->study;
	for (uint32_t step = 0; step < s->axis.n; step++) {
		place_step(v, step, p);
		add_all_behind(v, step);
	}
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		struct rank_row *row = &v->ranks[r];
		row->places = row->steps ? row->places / sqrt(p->variance[r]) : 0;
		row->behind_ns = row->steps ? row->behind_ns / row->steps : 0;
		for (int c = 0; c < JITTER_CAUSES; c++)
			row->part_ns[c] = row->steps ? row->part_ns[c] / row->steps : 0;
		row->p_late = normal_tail(row->places);
		row->p_early = normal_tail(-row->places);
		const double chance = row->steps ? p->chance[r] / row->steps : 0;
		row->p_last = binomial_tail(row->steps, chance, row->last);
	}
	return correct(v);
}

static int rank_rows_make(struct jitter_verdict *v)
{
	const size_t n = (size_t)v->study->n_ranks + 1;
	struct placing p = {.values = malloc(n * sizeof(double)),
						.places = malloc(n * sizeof(double)),
						.order = malloc(n * sizeof(uint32_t)),
						.rank = malloc(n * sizeof(uint32_t)),
						.variance = calloc(n, sizeof(double)),
						.chance = calloc(n, sizeof(double))};
	const bool made = p.values && p.places && p.order && p.rank && p.variance && p.chance;
	const int error = made ? know_ranks(v, &p) : -ENOMEM;
	free(p.values);
	free(p.places);
	free(p.order);
	free(p.rank);
	free(p.variance);
	free(p.chance);
	return error;
}

/* ---- which of them are odd ---- */

/* How much later than the median of the ranks, on average over all its steps; with `last`, over the
 * steps in which it is the last one. An early rank is compared with the upper median. */
static double beyond_median(const struct jitter_verdict *v, uint32_t rank, bool last, bool early)
{
	const struct jitter_study *s = v->study;
	double sum = 0;
	uint32_t steps = 0;
	for (uint32_t step = 0; step < s->axis.n; step++) {
		const struct step_row *row = &v->steps[step];
		if (!jitter_rank_step(s, rank, step)->counted || row->ranks < 2 ||
			(last && row->most != rank))
			continue;
		sum += (double)(jitter_to_end(s, rank, step) - (early ? row->upper_ns : row->median_ns));
		steps++;
	}
	return steps ? sum / steps : 0;
}

static void take_mean(const struct jitter_verdict *v, struct odd_rank *odd)
{
	const struct jitter_study *s = v->study;
	uint32_t steps = 0;
	for (uint32_t step = 0; step < s->axis.n; step++)
		if (v->steps[step].most == odd->rank && v->steps[step].ranks >= 2) {
			add_behind(v, odd, step);
			steps++;
		}
	odd->behind_ns /= steps;
	for (int c = 0; c < JITTER_CAUSES; c++)
		odd->part_ns[c] /= steps;
}

static enum jitter_cause largest(const struct odd_rank *odd)
{
	int best = 0;
	for (int c = 1; c < JITTER_CAUSES; c++)
		if (odd->early ? odd->part_ns[c] < odd->part_ns[best]
					   : odd->part_ns[c] > odd->part_ns[best])
			best = c;
	return (enum jitter_cause)best;
}

/* Is it late in all steps, in some, or early? Returns whether it is odd. */
static bool judge(const struct jitter_verdict *v, uint32_t rank, struct odd_rank *odd)
{
	const struct rank_row *row = &v->ranks[rank];
	const double least = LEAST_PART * v->study->step_ns;
	*odd = (struct odd_rank){.rank = rank, .behind_ns = row->behind_ns};
	memcpy(odd->part_ns, row->part_ns, sizeof(odd->part_ns));
	if (row->p_late < LEAST_SURE && beyond_median(v, rank, false, false) >= least) {
		odd->significance = row->p_late;
	} else if (row->p_last < LEAST_SURE &&
			   beyond_median(v, rank, true, false) * row->last >= least * row->steps) {
		odd->some_steps = true;
		odd->significance = row->p_last;
		odd->behind_ns = 0;
		memset(odd->part_ns, 0, sizeof(odd->part_ns));
		take_mean(v, odd);
	} else if (row->p_early < LEAST_SURE && v->study->n_ranks > 2 &&
			   beyond_median(v, rank, false, true) <= -least) {
		odd->early = true;
		odd->significance = row->p_early;
	} else {
		return false;
	}
	odd->cause = largest(odd);
	return true;
}

static int by_lateness(const void *a, const void *b)
{
	const struct odd_rank *x = a, *y = b;
	if (x->early != y->early)
		return x->early ? 1 : -1;
	if (fabs(x->behind_ns) != fabs(y->behind_ns))
		return fabs(x->behind_ns) > fabs(y->behind_ns) ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Are all ranks of its host, two at least, late by the same cause, and are there other hosts? */
static bool is_hosts(const struct jitter_verdict *v, const struct odd_rank *odd)
{
	const struct jitter_study *s = v->study;
	const char *host = s->ranks[odd->rank].host;
	uint32_t ranks = 0, same = 0;
	for (uint32_t r = 0; r < s->n_ranks; r++)
		ranks += strcmp(s->ranks[r].host, host) == 0;
	for (size_t i = 0; i < v->n_odd; i++)
		same += v->odd[i].cause == odd->cause && v->odd[i].early == odd->early &&
				strcmp(s->ranks[v->odd[i].rank].host, host) == 0;
	return ranks > 1 && ranks < s->n_ranks && same == ranks;
}

/* What keeps the ranks from being compared, as far as their kernels say it. */
static enum jitter_bar find_bar(const struct jitter_study *s)
{
	uint64_t steps = 0, left_out = 0;
	uint32_t others = 0;
	for (uint32_t r = 0; r < s->n_ranks; r++) {
		const struct jitter_rank *rank = &s->ranks[r];
		steps += rank->steps;
		left_out += rank->left_out;
		others += rank->missing > OTHER_PART * (double)s->reference.n * rank->steps;
	}
	if (left_out > steps)
		return BAR_LEFT_OUT;
	return 4 * (uint64_t)others > s->n_ranks ? BAR_OTHER_KERNELS : BAR_NONE;
}

/* In how many steps a rank has to be the last one, in each of them, to be named. */
static uint32_t least_steps(uint32_t ranks)
{
	const double most = LEAST_SURE / (3.0 * ranks); /* the tests that are corrected together */
	const double place = 3 * ((double)ranks - 1) / ((double)ranks + 1);
	uint32_t n = 1;
	while (normal_tail(sqrt(place * n)) >= most && binomial_tail(n, 1.0 / ranks, n) >= most)
		n++;
	return n;
}

/* 0: there are enough, or no rank is late enough to be named in however many. */
static uint32_t find_steps_needed(const struct jitter_verdict *v)
{
	const struct jitter_study *s = v->study;
	const uint32_t least = s->n_ranks > 1 ? least_steps(s->n_ranks) : 0;
	bool late = false;
	for (uint32_t r = 0; r < s->n_ranks && !late; r++)
		late = beyond_median(v, r, false, false) >= LEAST_PART * s->step_ns;
	return late && s->axis.n < least ? least : 0;
}

int odd_ranks_find(struct jitter_verdict *v)
{
	int error = rank_rows_make(v);
	v->bar = find_bar(v->study);
	for (uint32_t r = 0; !error && v->bar == BAR_NONE && r < v->study->n_ranks; r++) {
		struct odd_rank odd;
		if (!judge(v, r, &odd))
			continue;
		error = room_next((void **)&v->odd, v->n_odd, sizeof(*v->odd));
		if (!error)
			error = odd_rank_place(v, &odd);
		if (!error)
			v->odd[v->n_odd++] = odd;
	}
	for (size_t i = 0; !error && i < v->n_odd; i++)
		if (is_hosts(v, &v->odd[i]))
			v->odd[i].place = PLACE_HOST;
	sort_rows(v->odd, v->n_odd, sizeof(*v->odd), by_lateness);
	if (v->bar == BAR_NONE && v->n_odd == 0 && v->cancel)
		v->bar = BAR_WAIT_INSIDE;
	if (v->bar == BAR_NONE && v->n_odd == 0)
		v->steps_needed = find_steps_needed(v);
	return error;
}
