#include "steps/voices.h"

#include "steps/sequence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIVOTS = 64, /* voices the others are compared with, heaviest first */
	OCTAVES = 32,
	BURSTS = 2, /* how many ways to group a token's occurrences into bursts */
};

static int octave(uint32_t gap)
{
	return 31 - __builtin_clz(gap | 1);
}

/* Appends the ends of the bursts of positions[0..n): those followed by a gap above `widest`. */
static void add_bursts(struct voices *v, struct voice voice, const uint32_t *positions, uint32_t n,
					   uint32_t widest)
{
	uint32_t *ends = v->at + voice.first;
	voice.n = 0;
	for (uint32_t i = 0; i < n; i++)
		if (i + 1 == n || positions[i + 1] - positions[i] > widest)
			ends[voice.n++] = positions[i];
	if (voice.n >= PERIOD_LEAST_STEPS)
		v->list[v->n++] = voice;
}

static size_t room_from(const struct voices *v)
{
	return v->n ? v->list[v->n - 1].first + v->list[v->n - 1].n : 0;
}

/* Occurrences come in bursts when the gaps between them are either short or long: an octave that
 * holds hardly any gap lies between. */
static void find_bursts(struct voices *v, struct voice voice, const uint32_t *positions)
{
	uint32_t gaps[OCTAVES] = {0}, below = 0, n = voice.weight;
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
		size_t before = v->n;
		voice.first = room_from(v);
		add_bursts(v, voice, positions, n, (3U << k) / 2);
		found += v->n > before;
		while (k + 1 < OCTAVES && gaps[k + 1] * 16 <= smaller)
			below += gaps[++k]; /* the same valley */
	}
}

static int by_weight(const void *a, const void *b, void *list)
{
	const struct voice *x = (struct voice *)list + *(const uint32_t *)a;
	const struct voice *y = (struct voice *)list + *(const uint32_t *)b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void add_voices(struct voices *v, const uint32_t *positions, const uint32_t *starts,
					   uint32_t n_tokens)
{
	for (uint32_t t = 0; t < n_tokens; t++) {
		uint32_t n = starts[t + 1] - starts[t];
		if (n < PERIOD_LEAST_STEPS)
			continue;
		struct voice voice = {
			.token = t, .weight = n, .first = room_from(v), .n = n, .eligible = true};
		memcpy(v->at + voice.first, positions + starts[t], n * sizeof(*positions));
		v->list[v->n++] = voice;
		find_bursts(v, voice, positions + starts[t]);
	}
}

int voices_build(const uint32_t *tokens, uint32_t n, uint32_t n_tokens, const uint32_t *launch,
				 struct voices *out)
{
	uint32_t *starts = calloc((size_t)n_tokens + 2, sizeof(*starts));
	uint32_t *positions = malloc(((size_t)n + 1) * sizeof(*positions));
	*out = (struct voices){.positions = n, .launch = launch, .span = 1};
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
		add_voices(out, positions, starts, n_tokens);
		for (uint32_t i = 0; i < out->n; i++)
			out->heaviest[i] = i;
		qsort_r(out->heaviest, out->n, sizeof(*out->heaviest), by_weight, out->list);
	}
	free(starts);
	free(positions);
	return error;
}

void voices_free(struct voices *voices)
{
	free(voices->list);
	free(voices->at);
	free(voices->heaviest);
}

/* interval[p] = how many of the voice's positions are at or before p */
static void count_intervals(const struct voices *v, const struct voice *pivot, uint32_t *interval)
{
	const uint32_t *at = v->at + pivot->first;
	uint32_t p = 0;
	for (uint32_t k = 0; k <= pivot->n; k++) {
		uint32_t end = k < pivot->n ? at[k] : v->positions;
		while (p < end)
			interval[p++] = k;
	}
}

/* Does the voice occur exactly once between nearly all neighbouring positions of the pivot? */
static bool takes_turns(const struct voices *v, const struct voice *voice,
						const struct voice *pivot, const uint32_t *interval)
{
	const uint32_t *at = v->at + voice->first;
	uint32_t inner = pivot->n - 1, once = 0, run = 0;
	uint32_t apart = voice->n > pivot->n ? voice->n - pivot->n : pivot->n - voice->n;
	if (apart > pivot->n / 5 + 1)
		return false;
	for (uint32_t i = 0; i < voice->n; i++) {
		uint32_t here = interval[at[i]];
		run++;
		if (i + 1 < voice->n && interval[at[i + 1]] == here)
			continue;
		once += run == 1 && here > 0 && here < pivot->n;
		run = 0;
	}
	return (uint64_t)once * 5 >= (uint64_t)inner * 4;
}

/* The choir of one pivot. A token sings with one voice only: the first, its plain one. */
static void gather(struct voices *v, uint32_t pivot, const uint32_t *interval, struct choir *out)
{
	*out = (struct choir){.members = out->members, .pivot = pivot};
	for (uint32_t i = 0; i < v->n; i++) {
		if (!v->list[i].eligible || !takes_turns(v, &v->list[i], &v->list[pivot], interval))
			continue;
		v->list[i].tried = true;
		if (out->n && v->list[out->members[out->n - 1]].token == v->list[i].token)
			continue;
		out->members[out->n++] = i;
		out->weight += v->list[i].weight;
	}
	out->value = (unsigned __int128)out->weight * out->weight * out->weight / v->list[pivot].n;
}

bool choir_better(const struct choir *a, const struct choir *b)
{
	if (a->weight * 3 < b->weight * 2 || b->weight * 3 < a->weight * 2)
		return a->weight > b->weight;
	return a->value > b->value;
}

static bool better(const struct voices *v, const struct choir *a, const struct choir *b,
				   bool rarest)
{
	if (a->n == 0 || b->n == 0 || !rarest)
		return choir_better(a, b);
	if ((a->n > 1) != (b->n > 1))
		return a->n > 1;
	uint32_t n_a = v->list[a->pivot].n, n_b = v->list[b->pivot].n;
	return n_a != n_b ? n_a < n_b : a->weight > b->weight;
}

int voices_choir(struct voices *voices, bool rarest, size_t least, struct choir *out)
{
	uint32_t *interval = malloc(((size_t)voices->positions + 1) * sizeof(*interval));
	struct choir now = {.members = malloc((voices->n + 1) * sizeof(*now.members))};
	*out = (struct choir){.members = malloc((voices->n + 1) * sizeof(*out->members))};
	int error = interval && now.members && out->members ? 0 : -ENOMEM;
	for (size_t i = 0; !error && i < voices->n; i++)
		voices->list[i].tried = false;
	int pivots = 0;
	for (size_t i = 0; !error && i < voices->n && pivots < PIVOTS; i++) {
		const struct voice *pivot = &voices->list[voices->heaviest[i]];
		if (!pivot->eligible || pivot->tried)
			continue;
		pivots++;
		count_intervals(voices, pivot, interval);
		gather(voices, voices->heaviest[i], interval, &now);
		if (now.n < least || !better(voices, &now, out, rarest))
			continue;
		struct choir swap = *out;
		*out = now;
		now = swap;
	}
	free(interval);
	free(now.members);
	return error;
}

void choir_free(struct choir *choir)
{
	free(choir->members);
}
