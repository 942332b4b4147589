/* Where the lateness of a rank shows: in one kernel, or all over it. */
#include "jitter/odd_ranks.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

struct by_name {
	double own, others; /* sums over the positions with this name */
	double excess;
	uint32_t first; /* 1 + position */
};

/* The mean of the other ranks at a position; NAN: no other has it. */
static double mean_of_others(const struct jitter_study *s, enum jitter_measure measure,
							 uint32_t position, uint32_t rank)
{
	const double own = jitter_mean(s, measure, position, rank);
	const double all = jitter_mean_of_ranks(s, measure, position);
	uint32_t n = 0;
	for (uint32_t r = 0; r < s->n_ranks; r++)
		n += s->ranks[r].cells[position].n > 0;
	return n > 1 ? (all * n - own) / (n - 1) : NAN;
}

/* Sums durations of all kernels but NCCL's by name; returns the totals. */
static struct by_name sum_names(const struct jitter_study *s, const struct odd_rank *odd,
								struct by_name *names)
{
	struct by_name all = {0};
	const double sign = odd->early ? -1 : 1;
	for (uint32_t k = 0; k < s->reference.n; k++) {
		if (s->reference.at[k].class != STREAM_MAIN)
			continue;
		const double own = jitter_mean(s, MEASURE_DURATION, k, odd->rank);
		const double others = mean_of_others(s, MEASURE_DURATION, k, odd->rank);
		struct by_name *name = &names[s->reference.at[k].name];
		if (isnan(own) || isnan(others))
			continue;
		name->own += own;
		name->others += others;
		name->excess += sign * (own - others);
		name->first = name->first ? name->first : 1 + k;
		all.own += own;
		all.others += others;
	}
	all.excess = sign * (all.own - all.others);
	return all;
}

static double slower(double own, double others)
{
	return others > 0 ? own / others - 1 : 0;
}

/* A kernel is the place if half of the excess is its own, and it is twice as much slower as all
 * others together. */
static int place_duration(const struct jitter_study *s, struct odd_rank *odd)
{
	struct by_name *names = calloc((size_t)s->reference.names.n + 1, sizeof(*names));
	uint32_t best = 0;
	if (!names)
		return -ENOMEM;
	const struct by_name all = sum_names(s, odd, names);
	for (uint32_t i = 0; i < s->reference.names.n; i++)
		if (names[i].first && (!names[best].first || names[i].excess > names[best].excess))
			best = i;
	const struct by_name *most = &names[best];
	const double its = fabs(slower(most->own, most->others));
	const double rest = fabs(slower(all.own - most->own, all.others - most->others));
	const bool kernel = most->first && 2 * most->excess >= all.excess && its > 2 * rest;
	odd->place = kernel ? PLACE_KERNEL : PLACE_RANK;
	odd->name = best;
	odd->position = most->first ? most->first - 1 : 0;
	odd->there_ns = most->excess;
	odd->slower = kernel ? slower(most->own, most->others) : slower(all.own, all.others);
	free(names);
	return 0;
}

/* The gap that exceeds the others' most; it is the place if half of the cause is there. */
static void place_gap(const struct jitter_study *s, struct odd_rank *odd)
{
	const double sign = odd->early ? -1 : 1;
	for (uint32_t i = 1; i < s->reference.n_lane[STREAM_MAIN]; i++) {
		const uint32_t k = s->reference.lane[STREAM_MAIN][i];
		const double more = sign * (jitter_mean(s, MEASURE_GAP, k, odd->rank) -
									mean_of_others(s, MEASURE_GAP, k, odd->rank));
		if (more > odd->there_ns) {
			odd->there_ns = more;
			odd->position = k;
		}
	}
	odd->name = s->reference.at[odd->position].name;
	odd->place =
		odd->there_ns > 0 && 2 * odd->there_ns >= sign * odd->cause_ns ? PLACE_KERNEL : PLACE_RANK;
}

int odd_rank_place(const struct jitter_verdict *v, struct odd_rank *odd)
{
	const struct jitter_study *s = v->study;
	/* Kernels have means over all steps: so has what they are compared with. */
	odd->cause_ns = v->ranks[odd->rank].part_ns[odd->cause];
	if (odd->cause == JITTER_DURATION)
		return place_duration(s, odd);
	odd->place = PLACE_RANK;
	if (odd->cause != JITTER_GAP_BEFORE)
		place_gap(s, odd);
	return 0;
}
