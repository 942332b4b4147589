#include "steps/period.h"

#include "base/sort.h"
#include "steps/cycles.h"
#include "steps/motif.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	LONGEST_TOKEN = 16, /* kernels in direct succession taken as one recurrence */
	LEAST_PLACES = 4,   /* fewer are in order by chance too often */
	LEAST_EVIDENCE = 24,
	FEW_CYCLES = 8,   /* fewer say nothing about what is the rule */
	NARROW = 4,       /* positions between steps that may be anything */
	WIDEST_RATIO = 8, /* so many cycles share one optimizer update, unless it is a large one */
};

/* What the search carries: the sequence, the recurrences of single kernels, the steps so far. */
struct search {
	struct sequence sequence;
	struct recurrences kernels;
	struct recurrences base; /* of the tokens the steps were found with */
	struct cycles steps;
	uint32_t *gap; /* by position: 1 + the number of steps before it, 0 inside a step */
	uint32_t *lengths;
	size_t n_lengths;
	uint32_t rest; /* what usually lies between steps (as found so far) without evaluation */
};

static uint32_t after(uint32_t begin, uint32_t least)
{
	return begin > least ? begin : least;
}

static int by_length(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static uint32_t median_length(struct search *s)
{
	if (s->n_lengths == 0)
		return 0;
	sort_rows(s->lengths, s->n_lengths, sizeof(*s->lengths), by_length);
	return s->lengths[(s->n_lengths - 1) / 2];
}

static uint32_t median_cycle(struct search *s, const struct cycles *cycles)
{
	s->n_lengths = 0;
	for (size_t i = 0; i < cycles->n; i++)
		s->lengths[s->n_lengths++] = cycles->list[i].end - cycles->list[i].begin + 1;
	return median_length(s);
}

/* So strict an order of so many says enough, however little of the run it makes up. */
static bool strict(const struct cycles *c)
{
	return c->places >= 2 * LEAST_PLACES && c->in_order >= 3 * LEAST_EVIDENCE &&
		   c->in_order * 10 >= c->occurrences * 9;
}

/* Enough of the motif goes round in order, often enough, and makes up enough of what there is from
 * its first cycle to its last, to rule out chance. */
static bool convincing(const struct cycles *c, uint64_t weight, uint32_t span)
{
	return c->n >= PERIOD_LEAST_STEPS && c->places >= LEAST_PLACES + span - 1 &&
		   c->in_order >= LEAST_EVIDENCE && c->in_order * 10 >= c->occurrences * 6 &&
		   (strict(c) || weight * 5 >= c->list[c->n - 1].end - c->list[0].begin);
}

/* The cycles of one motif; of `motif` only the figures remain. */
static int motif_cycles(struct recurrences *recurrences, bool rarest, struct motif *motif,
						struct cycles *out)
{
	*out = (struct cycles){0};
	int error = motif_find(recurrences, rarest, rarest ? 1 : LEAST_PLACES, motif);
	bool few = !error && motif->n && recurrences->list[motif->pivot].n < FEW_CYCLES;
	if (!error)
		error = cycles_find(recurrences, motif, few, out);
	motif_free(motif);
	return error;
}

/* The tokens of the sequence, groups of `span` kernels in succession. */
struct tokens {
	uint32_t *at, n, n_kinds, span;
};

struct candidate { /* what its tokens make of the sequence */
	struct recurrences recurrences;
	struct motif motif; /* its figures only */
	struct cycles cycles;
};

static int candidate_find(const struct search *s, const struct tokens *tokens,
						  struct candidate *out)
{
	int error = recurrences_build(tokens->at, tokens->n, tokens->n_kinds, s->sequence.mark,
								  &out->recurrences);
	out->recurrences.span = tokens->span;
	return error ? error : motif_cycles(&out->recurrences, false, &out->motif, &out->cycles);
}

/* The candidate's cycles become the steps; what it replaces is left in it, to be freed. */
static void candidate_take(struct search *s, struct candidate *candidate)
{
	struct cycles steps = s->steps;
	struct recurrences base = s->base;
	s->steps = candidate->cycles;
	s->base = candidate->recurrences;
	candidate->cycles = steps;
	candidate->recurrences = base;
}

/* Tokens of twice as many kernels: each with the one that follows where it ends. */
static int widen(struct tokens *tokens)
{
	tokens->n -= tokens->span;
	int error = sequence_pairs(tokens->at, tokens->at + tokens->span, tokens->n, tokens->at,
							   &tokens->n_kinds);
	tokens->span *= 2;
	return error;
}

/* The cycles of the recurrences that make up most of the run: single kernels when these do, else
 * groups of 2, 4, 8 or 16 in succession (a workload with few different kernels). */
static int find_base(struct search *s)
{
	uint32_t n = s->sequence.n;
	struct motif best = {0};
	struct tokens tokens = {.at = malloc(((size_t)n + 1) * sizeof(*tokens.at)),
							.n = n,
							.n_kinds = s->sequence.n_symbols,
							.span = 1};
	if (!tokens.at)
		return -ENOMEM;
	memcpy(tokens.at, s->sequence.symbol, n * sizeof(*tokens.at));
	int error;
	for (;;) {
		struct candidate candidate = {0};
		error = candidate_find(s, &tokens, &candidate);
		bool kernels = tokens.span == 1 && strict(&candidate.cycles);
		if (!error && convincing(&candidate.cycles, candidate.motif.weight, tokens.span) &&
			motif_better(&candidate.motif, &best)) {
			best = candidate.motif;
			candidate_take(s, &candidate);
		}
		recurrences_free(&candidate.recurrences);
		cycles_free(&candidate.cycles);
		bool enough = kernels || best.weight * 2 >= n;
		if (error || enough || 2 * tokens.span > LONGEST_TOKEN || 2 * tokens.span >= n)
			break;
		error = widen(&tokens);
		if (error)
			break;
	}
	free(tokens.at);
	return error;
}

static void mark_gaps(struct search *s)
{
	uint32_t p = 0, n_steps = (uint32_t)s->steps.n;
	for (uint32_t i = 0; i <= n_steps; i++) {
		const struct cycle *next = &s->steps.list[i];
		while (p < (i < n_steps ? next->begin : s->sequence.n))
			s->gap[p++] = i + 1;
		while (i < n_steps && p <= next->end)
			s->gap[p++] = 0;
	}
}

/* In how many gaps between steps the recurrence occurs; *inside: how often it occurs in a gap,
 * *first: is the first gap one of them. */
static uint32_t gaps_with(const struct search *s, const struct recurrence *recurrence,
						  const uint32_t *at, uint32_t *inside, bool *first)
{
	uint32_t gaps = 0, last = 0;
	*inside = 0;
	*first = s->gap[at[0]] == 1;
	for (uint32_t k = 0; k < recurrence->n; k++) {
		uint32_t gap = s->gap[at[k]];
		*inside += gap != 0;
		gaps += gap != 0 && gap != last;
		last = gap ? gap : last;
	}
	return gaps;
}

/* Lets only those recurrences take part whose kernel occurs almost only between the steps, in at
 * least so many of the gaps; `unit`: and as a rule once in each, else: and before the first step.
 */
static void admit_between(struct search *s, struct recurrences *recurrences, uint32_t least_gaps,
						  bool unit)
{
	bool between = false;
	for (size_t i = 0; i < recurrences->n; i++) {
		struct recurrence *recurrence = &recurrences->list[i];
		bool first;
		uint32_t inside,
			gaps = gaps_with(s, recurrence, recurrences->at + recurrence->first, &inside, &first);
		if (i == 0 ||
			recurrence->token != recurrence[-1].token) /* a kernel's first: all its occurrences */
			between = (uint64_t)inside * 5 >= (uint64_t)recurrence->n * 4;
		recurrence->eligible =
			between && gaps >= least_gaps && (unit ? recurrence->n * 2 <= gaps * 3 : first);
	}
}

/* How many passes lie in a gap before a step as a rule: no more than before the first step, where
 * evaluation is least likely, and in nine gaps of ten. */
static uint32_t usual_passes(struct search *s, const struct cycles *passes)
{
	uint32_t first = 0;
	size_t k = 0;
	s->n_lengths = 0;
	for (size_t i = 0; i < s->steps.n; i++) {
		uint32_t here = 0;
		for (; k < passes->n && passes->list[k].begin < s->steps.list[i].begin; k++)
			here++;
		first = i == 0 ? here : first;
		if (here)
			s->lengths[s->n_lengths++] = here;
	}
	sort_rows(s->lengths, s->n_lengths, sizeof(*s->lengths), by_length);
	uint32_t few = s->n_lengths ? s->lengths[s->n_lengths / 10] : 1;
	return first && first < few ? first : few;
}

/* Kernels that the steps share with evaluation, or that occur several times a step, are still
 * between the steps: the last time they go round before a step is its own beginning. */
static int reach_forward(struct search *s)
{
	struct cycles passes = {0};
	uint32_t end = 0;
	size_t k = 0, plain = 0;
	mark_gaps(s);
	admit_between(s, &s->base, (uint32_t)(s->steps.n * 3 / 4), false);
	int error = motif_cycles(&s->base, true, &(struct motif){0}, &passes);
	uint32_t usual = error ? 0 : usual_passes(s, &passes);
	if (usual > 1)
		passes.n = 0; /* parts of a pass, a layer: they do not say where it begins */
	for (size_t i = 0; !error && i < s->steps.n; i++) {
		struct cycle *step = &s->steps.list[i];
		size_t from = k;
		while (k < passes.n && passes.list[k].begin < step->begin)
			k++;
		while (from < k && i > 0 && passes.list[from].end <= end)
			from++;
		if (k > from)
			step->begin =
				after(passes.list[k - from > usual ? k - usual : from].begin, i ? end + 1 : 0);
		if (i > 0 && (k - from == usual || passes.n == 0))
			s->lengths[plain++] = step->begin - end - 1;
		end = step->end;
	}
	s->n_lengths = plain;
	s->rest = median_length(s);
	cycles_free(&passes);
	return error;
}

/* Kernels of `unit` among the launches between two steps, in launches and in different kernels. */
static uint32_t unit_launches(const struct search *s, const struct cycle *unit)
{
	const uint32_t *mark = s->sequence.mark;
	uint32_t n = s->sequence.n;
	uint32_t end = unit->end + 1 < n ? mark[unit->end + 1] : mark[n - 1] + 1;
	return end - mark[unit->begin];
}

/* Is the unit a part of the step that follows several of the cycles found so far: an optimizer
 * update after micro-batches, or backward and optimizer after one of many forward passes? A single
 * kernel now and then is not. */
static bool completes(struct search *s, const struct cycles *units, size_t kernels)
{
	s->n_lengths = 0;
	for (size_t i = 0; i < units->n; i++)
		s->lengths[s->n_lengths++] = unit_launches(s, &units->list[i]);
	uint32_t launches = median_length(s);
	if (kernels < 2 && launches < 3)
		return false;
	size_t ratio = (s->steps.n + units->n - 1) / units->n;
	return ratio <= WIDEST_RATIO || launches * 20 >= median_cycle(s, &s->steps) * ratio;
}

/* The launches between steps that are followed by a unit consist of the unit, apart from what is
 * also between other steps. */
static bool dense(struct search *s, const struct cycles *units)
{
	uint32_t extra = 0;
	s->n_lengths = 0;
	for (size_t i = 0, k = 0; i + 1 < s->steps.n; i++) {
		const struct cycle *step = &s->steps.list[i];
		while (k < units->n && units->list[k].begin < step->end)
			k++;
		if (k == units->n || units->list[k].begin > step[1].begin)
			s->lengths[s->n_lengths++] = step[1].begin - step->end - 1;
	}
	uint32_t usual = median_length(s);
	s->n_lengths = 0;
	for (size_t i = 0, k = 0; i + 1 < s->steps.n; i++) {
		const struct cycle *step = &s->steps.list[i];
		while (k < units->n && units->list[k].begin < step->end)
			k++;
		if (k == units->n || units->list[k].begin > step[1].begin)
			continue;
		extra = step[1].begin - step->end - 1;
		s->lengths[s->n_lengths++] = extra > usual ? extra - usual : 0;
	}
	return median_cycle(s, units) * 2 >= median_length(s);
}

/* Nearly every unit has a step of its own before it, since the unit before. */
static bool interleaved(const struct search *s, const struct cycles *units)
{
	size_t with = 0, k = 0;
	for (size_t i = 0; i < units->n; i++) {
		size_t from = k;
		while (k < s->steps.n && s->steps.list[k].begin < units->list[i].begin)
			k++;
		with += k > from;
	}
	return with >= PERIOD_LEAST_STEPS && with * 5 >= units->n * 4;
}

/* Steps of one unit each. A small unit (optimizer) ends all cycles since the one before it, a large
 * one (backward and optimizer) only the last: the others are evaluation. */
static void merge_steps(struct search *s, const struct cycles *units, bool last_only)
{
	size_t n = 0, k = 0;
	uint32_t end = 0;
	for (size_t i = 0; i < units->n; i++) {
		struct cycle step = units->list[i];
		bool any = false;
		for (; k < s->steps.n && s->steps.list[k].begin < units->list[i].begin; k++) {
			if ((any && !last_only) || (i > 0 && s->steps.list[k].end <= end))
				continue;
			step.begin = after(s->steps.list[k].begin, i ? end + 1 : 0);
			any = true;
		}
		end = step.end;
		if (any) /* a unit without a cycle before it is none */
			s->steps.list[n++] = step;
	}
	s->steps.n = n;
}

/* What as a rule still lies between the steps belongs to the next one: a step begins where the one
 * before ends. What lies there beyond the rule (evaluation) belongs to the step before. */
static void close_gaps(struct search *s)
{
	for (size_t i = 1; s->rest > NARROW && i < s->steps.n; i++) {
		struct cycle *step = &s->steps.list[i];
		uint32_t gap = step->begin - step[-1].end - 1;
		step->begin -= gap < s->rest ? gap : s->rest;
	}
}

/* The kernels that come only between the steps found so far may go round them (then what was found
 * is a part that repeats, a layer) or complete a step of several of them. */
static int promote(struct search *s, bool *changed)
{
	struct cycles units = {0}, round = {0};
	struct motif motif = {0};
	mark_gaps(s);
	admit_between(s, &s->kernels, PERIOD_LEAST_STEPS, true);
	int error = motif_find(&s->kernels, false, 1, &motif);
	if (!error)
		error = cycles_find(&s->kernels, &motif, false, &units);
	bool fewer = !error && units.n >= PERIOD_LEAST_STEPS && units.n < s->steps.n;
	bool around = fewer && units.first < s->steps.list[0].begin;
	if (around)
		error = cycles_find(&s->kernels, &motif, true, &round);
	*changed = false;
	if (around && !error && convincing(&round, UINT32_MAX, 1)) {
		struct cycles swap = s->steps;
		s->steps = round;
		round = swap;
		*changed = true;
	} else if (fewer && !error && interleaved(s, &units) && completes(s, &units, units.places) &&
			   dense(s, &units)) {
		merge_steps(s, &units, median_cycle(s, &units) >= median_cycle(s, &s->steps));
		*changed = true;
	}
	motif_free(&motif);
	cycles_free(&units);
	cycles_free(&round);
	return error;
}

static int search_run(struct search *s)
{
	uint32_t n = s->sequence.n;
	s->gap = malloc(((size_t)n + 1) * sizeof(*s->gap));
	s->lengths = malloc(((size_t)n + 1) * sizeof(*s->lengths));
	if (!s->gap || !s->lengths)
		return -ENOMEM;
	int error = recurrences_build(s->sequence.symbol, n, s->sequence.n_symbols, s->sequence.mark,
								  &s->kernels);
	if (error)
		return error;
	error = find_base(s);
	if (error)
		return error;
	bool again = s->steps.n >= PERIOD_LEAST_STEPS;
	for (int rounds = 0; again && rounds < 3; rounds++) {
		error = reach_forward(s);
		if (error)
			return error;
		error = promote(s, &again);
		if (error)
			return error;
	}
	close_gaps(s);
	return 0;
}

/* From a step's begin to the next, in launches, as a rule. */
static uint32_t usual_launches(struct search *s)
{
	s->n_lengths = 0;
	for (size_t i = 1; i < s->steps.n; i++)
		s->lengths[s->n_lengths++] =
			s->sequence.mark[s->steps.list[i].begin] - s->sequence.mark[s->steps.list[i - 1].begin];
	return median_length(s);
}

/* The mark that ends the last step: what usually lies before the next one, if that has not been made
 * part of it, is still in it. What comes after (evaluation) is not: neither behind its cycle nor, a
 * quarter above the usual number of launches, within. */
static uint32_t last_mark(struct search *s, size_t n_marks)
{
	const uint32_t first = s->sequence.mark[s->steps.list[s->steps.n - 1].begin];
	const uint32_t usual = usual_launches(s);
	const uint32_t n = s->sequence.n, between = s->rest > NARROW ? 0 : s->rest;
	const uint32_t end = s->steps.list[s->steps.n - 1].end, next = end + between + 1;
	const uint32_t last = next < n ? s->sequence.mark[next] - 1 : (uint32_t)n_marks - 1;
	return usual && (last - first) / 5 >= usual / 4 ? first + usual - 1 : last;
}

static int copy_places(struct search *s, size_t n_marks, uint32_t **places, size_t *n)
{
	const bool any = s->steps.n >= PERIOD_LEAST_STEPS;
	*n = any ? s->steps.n : 0;
	*places = malloc((*n + 1) * sizeof(**places));
	if (!*places)
		return -ENOMEM;
	for (size_t i = 0; i < *n; i++)
		(*places)[i] = s->sequence.mark[s->steps.list[i].begin];
	(*places)[*n] = any ? last_mark(s, n_marks) : 0;
	return 0;
}

int period_places(const struct launch_mark *marks, size_t n_marks, uint32_t **places, size_t *n)
{
	struct search s = {0};
	*places = NULL;
	*n = 0;
	int error = sequence_build(marks, n_marks, &s.sequence);
	if (!error && s.sequence.n >= PERIOD_LEAST_STEPS)
		error = search_run(&s);
	if (!error)
		error = copy_places(&s, n_marks, places, n);
	sequence_free(&s.sequence);
	recurrences_free(&s.kernels);
	recurrences_free(&s.base);
	cycles_free(&s.steps);
	free(s.gap);
	free(s.lengths);
	return error;
}

int period_begins(const struct launch_mark *marks, const uint32_t *places, size_t n_places,
				  int64_t **begins, size_t *n)
{
	*begins = NULL;
	*n = 0;
	if (n_places == 0)
		return 0;
	*begins = malloc((n_places + 1) * sizeof(**begins));
	if (!*begins)
		return -ENOMEM;
	for (size_t i = 0; i < n_places; i++) {
		int64_t begin = marks[places[i]].launch_ns;
		if (*n == 0 || begin > (*begins)[*n - 1])
			(*begins)[(*n)++] = begin;
	}
	(*begins)[*n] = marks[places[n_places]].launch_ns + 1;
	return 0;
}

int period_find(const struct launch_mark *marks, size_t n_marks, int64_t **begins, size_t *n)
{
	uint32_t *places;
	size_t n_places;
	*begins = NULL;
	*n = 0;
	int error = period_places(marks, n_marks, &places, &n_places);
	if (!error)
		error = period_begins(marks, places, n_places, begins, n);
	free(places);
	return error;
}
