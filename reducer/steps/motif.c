#include "steps/motif.h"

#include "base/sort.h"
#include "steps/sequence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIVOTS = 64, /* recurrences the others are compared with, heaviest first */
	OCTAVES = 32,
	BURSTS = 2, /* how many ways to group a token's occurrences into bursts */
};

static int octave(uint32_t gap)
{
	return 31 - __builtin_clz(gap | 1);
}

/* Appends the ends of the bursts of positions[0..n): those followed by a gap above `widest`. */
static void add_bursts(struct recurrences *r, struct recurrence recurrence,
					   const uint32_t *positions, uint32_t n, uint32_t widest)
{
	uint32_t *ends = r->at + recurrence.first;
	recurrence.n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (i + 1 == n || positions[i + 1] - positions[i] > widest)
			ends[recurrence.n++] = positions[i];
	if (recurrence.n >= PERIOD_LEAST_STEPS)
		r->list[r->n++] = recurrence;
}

static size_t room_from(const struct recurrences *r)
{
	return r->n ? r->list[r->n - 1].first + r->list[r->n - 1].n : 0;
}

/* Occurrences come in bursts when the gaps between them are either short or long: an octave that
 * holds hardly any gap lies between. */
static void find_bursts(struct recurrences *r, struct recurrence recurrence,
						const uint32_t *positions)
{
	uint32_t gaps[OCTAVES] = {0}, below = 0, n = recurrence.weight;
	int found = 0;
	for (uint32_t i = 1; i < n; i++)
		gaps[octave(positions[i] - positions[i - 1])]++;
	for (int k = 0; k + 1 < OCTAVES && found < BURSTS; k++) {
		uint32_t above = n - 1 - below - gaps[k];
		uint32_t smaller = below < above ? below : above;
		bool valley = above + 1 >= PERIOD_LEAST_STEPS && below >= PERIOD_LEAST_STEPS &&
					  gaps[k] * 16 <= smaller;
		below += gaps[k];
		if (!valley)
			continue;
		size_t before = r->n;
		recurrence.first = room_from(r);
		add_bursts(r, recurrence, positions, n, (3U << k) / 2);
		found += r->n > before;
		while (k + 1 < OCTAVES && gaps[k + 1] * 16 <= smaller)
			below += gaps[++k]; /* the same valley */
	}
}

static int by_weight(const void *a, const void *b, void *list)
{
	const struct recurrence *x = (struct recurrence *)list + *(const uint32_t *)a;
	const struct recurrence *y = (struct recurrence *)list + *(const uint32_t *)b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void add_recurrences(struct recurrences *r, const uint32_t *positions,
							const uint32_t *starts, uint32_t n_tokens)
{
	for (uint32_t t = 0; t < n_tokens; t++) {
		uint32_t n = starts[t + 1] - starts[t];
		if (n < PERIOD_LEAST_STEPS)
			continue;
		struct recurrence recurrence = {
			.token = t, .weight = n, .first = room_from(r), .n = n, .eligible = true};
		memcpy(r->at + recurrence.first, positions + starts[t], n * sizeof(*positions));
		r->list[r->n++] = recurrence;
		find_bursts(r, recurrence, positions + starts[t]);
	}
}

int recurrences_build(const uint32_t *tokens, uint32_t n, uint32_t n_tokens, const uint32_t *launch,
					  struct recurrences *out)
{
	uint32_t *starts = calloc((size_t)n_tokens + 2, sizeof(*starts));
	uint32_t *positions = malloc(((size_t)n + 1) * sizeof(*positions));
	*out = (struct recurrences){.positions = n, .launch = launch, .span = 1};
	out->list = malloc(((size_t)n + 1) * sizeof(*out->list)); /* each has >= 3 occurrences */
	out->at = malloc(((size_t)n + 1) * (BURSTS + 1) * sizeof(*out->at));
	out->heaviest = malloc(((size_t)n + 1) * sizeof(*out->heaviest));
	int error = starts && positions && out->list && out->at && out->heaviest ? 0 : -ENOMEM;
	if (!error) {
		for (uint32_t i = 0; i < n; i++)
			starts[tokens[i] + 2]++;
		for (uint32_t t = 0; t < n_tokens; t++)
			starts[t + 2] += starts[t + 1];
		for (uint32_t i = 0; i < n; i++)
			positions[starts[tokens[i] + 1]++] = i;
		add_recurrences(out, positions, starts, n_tokens);
		for (uint32_t i = 0; i < out->n; i++)
			out->heaviest[i] = i;
		sort_rows_with(out->heaviest, out->n, sizeof(*out->heaviest), by_weight, out->list);
	}
	free(starts);
	free(positions);
	return error;
}

void recurrences_free(struct recurrences *recurrences)
{
	free(recurrences->list);
	free(recurrences->at);
	free(recurrences->heaviest);
}

/* interval[p] = how many of the recurrence's positions are at or before p */
static void count_intervals(const struct recurrences *r, const struct recurrence *pivot,
							uint32_t *interval)
{
	const uint32_t *at = r->at + pivot->first;
	uint32_t p = 0;
	for (uint32_t k = 0; k <= pivot->n; k++) {
		uint32_t end = k < pivot->n ? at[k] : r->positions;
		while (p < end)
			interval[p++] = k;
	}
}

/* Does the recurrence occur exactly once between nearly all neighbouring positions of the pivot? */
static bool takes_turns(const struct recurrences *r, const struct recurrence *recurrence,
						const struct recurrence *pivot, const uint32_t *interval)
{
	const uint32_t *at = r->at + recurrence->first;
	uint32_t inner = pivot->n - 1, once = 0, run = 0;
	uint32_t apart = recurrence->n > pivot->n ? recurrence->n - pivot->n : pivot->n - recurrence->n;
	if (apart > pivot->n / 5 + 1)
		return false;
	for (uint32_t i = 0; i < recurrence->n; i++) {
		uint32_t here = interval[at[i]];
		run++;
		if (i + 1 < recurrence->n && interval[at[i + 1]] == here)
			continue;
		once += run == 1 && here > 0 && here < pivot->n;
		run = 0;
	}
	return (uint64_t)once * 5 >= (uint64_t)inner * 4;
}

/* The motif of one pivot. A token takes part once: with its first recurrence, the one of all its
 * occurrences. */
static void gather(struct recurrences *r, uint32_t pivot, const uint32_t *interval,
				   struct motif *out)
{
	*out = (struct motif){.members = out->members, .pivot = pivot};
	for (uint32_t i = 0; i < r->n; i++) {
		if (!r->list[i].eligible || !takes_turns(r, &r->list[i], &r->list[pivot], interval))
			continue;
		r->list[i].tried = true;
		if (out->n && r->list[out->members[out->n - 1]].token == r->list[i].token)
			continue;
		out->members[out->n++] = i;
		out->weight += r->list[i].weight;
	}
	out->value = (unsigned __int128)out->weight * out->weight * out->weight / r->list[pivot].n;
}

bool motif_better(const struct motif *a, const struct motif *b)
{
	if (a->weight * 3 < b->weight * 2 || b->weight * 3 < a->weight * 2)
		return a->weight > b->weight;
	return a->value > b->value;
}

static bool better(const struct recurrences *r, const struct motif *a, const struct motif *b,
				   bool rarest)
{
	if (a->n == 0 || b->n == 0 || !rarest)
		return motif_better(a, b);
	if ((a->n > 1) != (b->n > 1))
		return a->n > 1;
	uint32_t n_a = r->list[a->pivot].n, n_b = r->list[b->pivot].n;
	return n_a != n_b ? n_a < n_b : a->weight > b->weight;
}

int motif_find(struct recurrences *recurrences, bool rarest, size_t least, struct motif *out)
{
	uint32_t *interval = malloc(((size_t)recurrences->positions + 1) * sizeof(*interval));
	struct motif now = {.members = malloc((recurrences->n + 1) * sizeof(*now.members))};
	*out = (struct motif){.members = malloc((recurrences->n + 1) * sizeof(*out->members))};
	int error = interval && now.members && out->members ? 0 : -ENOMEM;
	for (size_t i = 0; !error && i < recurrences->n; i++)
		recurrences->list[i].tried = false;
	int pivots = 0;
	for (size_t i = 0; !error && i < recurrences->n && pivots < PIVOTS; i++) {
		const struct recurrence *pivot = &recurrences->list[recurrences->heaviest[i]];
		if (!pivot->eligible || pivot->tried)
			continue;
		pivots++;
		count_intervals(recurrences, pivot, interval);
		gather(recurrences, recurrences->heaviest[i], interval, &now);
		if (now.n < least || !better(recurrences, &now, out, rarest))
			continue;
		struct motif swap = *out;
		*out = now;
		now = swap;
	}
	free(interval);
	free(now.members);
	return error;
}

void motif_free(struct motif *motif)
{
	free(motif->members);
}
