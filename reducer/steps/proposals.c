#include "steps/proposals.h"

#include "base/room.h"
#include "base/sort.h"
#include "steps/own_kernels.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	RATIO = 3, /* between a distance inside a burst and one between bursts */
	EACH = 4,  /* launches of a step, at least */
	TRIED_MOST = 512,
	SAME_PLACE = 4 /* cuts so near are one */
};

struct search {
	const struct launch_mark *marks;
	uint32_t n_marks, n_names;
	uint32_t *of_name; /* positions by name: those of name v from first[v] to first[v + 1] */
	uint32_t *first;
	uint32_t *cuts; /* positions at which steps begin */
	uint32_t n_cuts;
	uint32_t *sorted; /* distances */
	struct tried {
		uint32_t n, place[3];
	} tried[TRIED_MOST];
	uint32_t n_tried;
	struct proposals *out;
};

static void close_search(struct search *s)
{
	free(s->of_name);
	free(s->first);
	free(s->cuts);
	free(s->sorted);
}

static int open_search(struct search *s)
{
	s->of_name = malloc(((size_t)s->n_marks + 1) * sizeof(*s->of_name));
	s->first = calloc((size_t)s->n_names + 2, sizeof(*s->first));
	s->cuts = malloc(((size_t)s->n_marks + 1) * sizeof(*s->cuts));
	s->sorted = malloc(((size_t)s->n_marks + 1) * sizeof(*s->sorted));
	if (!s->of_name || !s->first || !s->cuts || !s->sorted)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_marks; i++)
		s->first[s->marks[i].symbol + 1]++;
	for (uint32_t v = 0; v < s->n_names; v++)
		s->first[v + 1] += s->first[v];
	for (uint32_t i = 0; i < s->n_marks; i++)
		s->of_name[s->first[s->marks[i].symbol]++] = i;
	for (uint32_t v = s->n_names; v > 0; v--)
		s->first[v] = s->first[v - 1];
	s->first[0] = 0;
	return 0;
}

/* ---- how convincing the cuts are ---- */

static int judge(const struct search *s, uint32_t *quality)
{
	struct own_kernels own;
	struct step_fit fit;
	*quality = 0;
	int error = own_kernels_open(&own, s->n_names, (int32_t)s->n_cuts - 1);
	for (uint32_t c = 0; !error && c + 1 < s->n_cuts; c++)
		for (uint32_t i = s->cuts[c]; i < s->cuts[c + 1]; i++)
			own_kernels_add(&own, s->marks[i].symbol, (int32_t)c);
	if (!error)
		error = own_kernels_judge(&own, &fit);
	own_kernels_close(&own);
	if (!error && fit.looked && fit.launches)
		*quality = (uint32_t)(1000 * (uint64_t)fit.complete * fit.own / fit.looked / fit.launches);
	return error;
}

static bool tried_before(struct search *s)
{
	struct tried now = {.n = s->n_cuts};
	for (uint32_t i = 0; i < 3 && i < s->n_cuts; i++)
		now.place[i] = s->cuts[i] / SAME_PLACE;
	for (uint32_t i = 0; i < s->n_tried; i++)
		if (memcmp(&s->tried[i], &now, sizeof(now)) == 0)
			return true;
	if (s->n_tried == TRIED_MOST)
		return true;
	s->tried[s->n_tried++] = now;
	return false;
}

static int add(struct search *s, const struct proposal *proposal)
{
	struct proposals *out = s->out;
	for (size_t i = 0; i < out->n; i++) {
		if (out->at[i].n != proposal->n)
			continue;
		bool better = proposal->quality > out->at[i].quality;
		free(better ? out->at[i].begins : proposal->begins);
		if (better)
			out->at[i] = *proposal;
		return 0;
	}
	if (room_next((void **)&out->at, out->n, sizeof(*out->at)) != 0) {
		free(proposal->begins);
		return -ENOMEM;
	}
	out->at[out->n++] = *proposal;
	return 0;
}

/* ---- bursts ---- */

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* The distance above which a launch begins another burst: the geometric mean of the two sides of
 * the largest ratio between neighbouring distances; 0 when none is large. */
static double burst_gap(struct search *s, const uint32_t *at, uint32_t n)
{
	double best = RATIO, gap = 0;
	for (uint32_t i = 1; i < n; i++)
		s->sorted[i - 1] = at[i] - at[i - 1];
	sort_rows(s->sorted, n - 1, sizeof(*s->sorted), by_number);
	for (uint32_t i = 1; i + 1 < n; i++) {
		const double low = s->sorted[i - 1], high = s->sorted[i];
		if (low > 0 && high > low && high / low >= best) {
			best = high / low;
			gap = sqrt(low * high);
		}
	}
	return gap;
}

/* A step ends with the last launch of each burst of the kernel. */
static void cut_bursts(struct search *s, const uint32_t *at, uint32_t n)
{
	const double gap = burst_gap(s, at, n);
	s->n_cuts = 0;
	for (uint32_t i = 0; i < n; i++)
		if (i + 1 == n || at[i + 1] - at[i] > gap)
			s->cuts[s->n_cuts++] = at[i] + 1;
}

static int propose_bursts(struct search *s, uint32_t name)
{
	const uint32_t n = s->first[name + 1] - s->first[name];
	struct proposal proposal = {0};
	if (n < PERIOD_LEAST_STEPS)
		return 0;
	cut_bursts(s, &s->of_name[s->first[name]], n);
	if (s->n_cuts < PERIOD_LEAST_STEPS || s->n_cuts > s->n_marks / EACH || tried_before(s))
		return 0;
	int error = judge(s, &proposal.quality);
	if (error || proposal.quality < PROPOSAL_LEAST)
		return error;
	proposal.n = s->n_cuts;
	proposal.begins = malloc(proposal.n * sizeof(*proposal.begins));
	if (!proposal.begins)
		return -ENOMEM;
	proposal.begins[0] = s->marks[0].launch_ns;
	for (uint32_t i = 1; i < proposal.n; i++)
		proposal.begins[i] = s->marks[s->cuts[i - 1]].launch_ns;
	proposal.end_ns = s->marks[s->cuts[proposal.n - 1] - 1].launch_ns + 1;
	return add(s, &proposal);
}

/* ---- periodicity ---- */

static int propose_period(struct search *s, const int64_t *begins, size_t n)
{
	struct proposal proposal = {.n = (uint32_t)n};
	uint32_t at = 0;
	s->n_cuts = 0;
	for (size_t i = 0; i < n; i++) {
		while (at < s->n_marks && s->marks[at].launch_ns < begins[i])
			at++;
		s->cuts[s->n_cuts++] = at;
	}
	int error = n < PERIOD_LEAST_STEPS ? 0 : judge(s, &proposal.quality);
	if (error || proposal.quality == 0)
		return error;
	proposal.begins = malloc(n * sizeof(*proposal.begins));
	if (!proposal.begins)
		return -ENOMEM;
	memcpy(proposal.begins, begins, n * sizeof(*begins));
	proposal.end_ns = begins[n];
	return add(s, &proposal);
}

static int find(struct search *s, const int64_t *period, size_t n_period, const bool *flags)
{
	*s->out = (struct proposals){0};
	int error = open_search(s);
	if (!error && period && n_period <= s->n_marks)
		error = propose_period(s, period, n_period);
	for (uint32_t name = 0; !error && name < s->n_names; name++)
		if (!flags || flags[name])
			error = propose_bursts(s, name);
	close_search(s);
	if (error)
		proposals_free(s->out);
	return error;
}

int proposals_find(const struct launch_mark *marks, size_t n_marks, uint32_t n_names,
				   const int64_t *period, size_t n_period, struct proposals *out)
{
	struct search s = {
		.marks = marks, .n_marks = (uint32_t)n_marks, .n_names = n_names, .out = out};
	*out = (struct proposals){0};
	if (n_marks < PERIOD_LEAST_STEPS || n_marks > INT32_MAX)
		return 0;
	return find(&s, period, n_period, NULL);
}

int proposals_of_names(const struct step_marks *marks, const bool *flags, struct proposals *out)
{
	struct search s = {
		.marks = marks->at, .n_marks = (uint32_t)marks->n, .n_names = marks->n_names, .out = out};
	*out = (struct proposals){0};
	if (marks->n < PERIOD_LEAST_STEPS || marks->n > INT32_MAX)
		return 0;
	return find(&s, NULL, 0, flags);
}

void proposals_free(struct proposals *proposals)
{
	for (size_t i = 0; i < proposals->n; i++)
		free(proposals->at[i].begins);
	free(proposals->at);
	*proposals = (struct proposals){0};
}

/* ---- what ranks agree on ---- */

bool proposals_near(uint32_t n, uint32_t other)
{
	const uint64_t apart = n > other ? n - other : other - n;
	return apart <= 1 || 100 * apart <= 3 * (uint64_t)n;
}

const struct proposal *proposals_best(const struct proposals *proposals, uint32_t n)
{
	const struct proposal *best = NULL;
	for (size_t i = 0; i < proposals->n; i++)
		if (proposals_near(n, proposals->at[i].n) &&
			(!best || proposals->at[i].quality > best->quality))
			best = &proposals->at[i];
	return best;
}

/* The sum over the ranks of their best proposals of about n steps. */
static uint64_t agreement(const struct proposals *ranks, size_t n_ranks, uint32_t n)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n_ranks; i++) {
		const struct proposal *best = proposals_best(&ranks[i], n);
		sum += best ? best->quality : 0;
	}
	return sum;
}

uint32_t proposals_agree(const struct proposals *ranks, size_t n_ranks)
{
	uint64_t best = 0;
	uint32_t chosen = 0;
	/* in ascending order of n: a larger number has to be better by a hundredth */
	for (uint32_t last = 0;;) {
		uint32_t n = UINT32_MAX;
		for (size_t i = 0; i < n_ranks; i++)
			for (size_t k = 0; k < ranks[i].n; k++)
				if (ranks[i].at[k].n > last && ranks[i].at[k].n < n)
					n = ranks[i].at[k].n;
		if (n == UINT32_MAX)
			break;
		last = n;
		const uint64_t sum = agreement(ranks, n_ranks, n);
		if (!chosen || sum > best + 10 * n_ranks) {
			best = sum;
			chosen = n;
		}
	}
	return best >= (uint64_t)CONSENSUS_LEAST * n_ranks ? chosen : 0;
}
