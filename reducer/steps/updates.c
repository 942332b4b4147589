#include "steps/updates.h"

#include "base/sort.h"
#include "steps/proposals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SURE = 600, BEHIND = 100 }; /* thousandths */
enum { REST_PARTS = 10 };          /* of a step */

/* What the steps have of kernels that update weights. */
struct held {
	bool *flags;      /* by name: it updates weights, and is among the launches */
	uint32_t *steps;  /* by name: so many have it */
	uint32_t *last;   /* by name: 1 + the last of them */
	uint32_t *behind; /* by step: thousandths of its launches come after the last such kernel */
};

static int held_open(struct held *held, uint32_t n_names, size_t n)
{
	held->flags = calloc(2 * ((size_t)n_names + 1), sizeof(*held->flags));
	held->steps = calloc((size_t)n_names + 1, sizeof(*held->steps));
	held->last = calloc((size_t)n_names + 1, sizeof(*held->last));
	held->behind = calloc(n + 1, sizeof(*held->behind));
	return held->flags && held->steps && held->last && held->behind ? 0 : -ENOMEM;
}

static void held_close(struct held *held)
{
	free(held->flags);
	free(held->steps);
	free(held->last);
	free(held->behind);
}

/* Fills held->flags. Returns whether any is set. */
static bool flag_names(const struct update_names *names, const struct step_marks *marks,
					   struct held *held)
{
	bool *seen = held->flags + marks->n_names, any = false;
	for (size_t i = 0; i < marks->n; i++) {
		const uint32_t name = marks->at[i].symbol;
		if (seen[name])
			continue;
		seen[name] = true;
		held->flags[name] = names->is(names->context, name);
		any |= held->flags[name];
	}
	return any;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* Has such a kernel a place in more than half of the steps, and near their ends as a rule? */
static bool steps_update(const struct step_marks *marks, const struct updated_steps *steps,
						 struct held *held)
{
	const int64_t *begins = steps->begins;
	const size_t n = steps->n;
	bool found = false;
	size_t at = 0;
	for (size_t step = 0; step < n; step++) {
		while (at < marks->n && marks->at[at].launch_ns < begins[step])
			at++;
		const size_t first = at;
		size_t update = first; /* after the last one */
		for (; at < marks->n && marks->at[at].launch_ns < begins[step + 1]; at++) {
			const uint32_t name = marks->at[at].symbol;
			if (!held->flags[name])
				continue;
			update = at + 1;
			if (held->last[name] == step + 1)
				continue;
			held->last[name] = (uint32_t)step + 1;
			found |= 2 * (size_t)++held->steps[name] > n;
		}
		held->behind[step] = at > first ? (uint32_t)(1000 * (at - update) / (at - first)) : 0;
	}
	if (!found)
		return false;
	sort_rows(held->behind, n, sizeof(*held->behind), by_number);
	return held->behind[(n - 1) / 2] <= BEHIND;
}

/* What a step has before its usual number of launches, if that is a quarter more, is evaluation: it
 * belongs to the step before. */
static void leave_evaluation(const struct step_marks *marks, int64_t *begins, size_t n,
							 uint32_t *lengths)
{
	uint32_t *places = lengths + n + 1;
	size_t at = 0;
	for (size_t i = 0; i <= n; i++) {
		while (at < marks->n && marks->at[at].launch_ns < begins[i])
			at++;
		places[i] = (uint32_t)at;
		if (i)
			lengths[i - 1] = places[i] - places[i - 1];
	}
	sort_rows(lengths, n, sizeof(*lengths), by_number);
	const uint32_t usual = lengths[(n - 1) / 2];
	for (size_t i = 0; i < n; i++)
		if (places[i + 1] - places[i] > usual + usual / 4)
			begins[i] = marks->at[places[i + 1] - usual].launch_ns;
}

/* The end of an update that stands alone after the last step is in it. */
static void join_rest(const struct step_marks *marks, struct updated_steps *steps)
{
	int64_t *begins = steps->begins;
	const size_t n = steps->n;
	size_t last = marks->n, before;
	while (n > 0 && last > 0 && marks->at[last - 1].launch_ns >= begins[n - 1])
		last--;
	for (before = last; n > 1 && before > 0 && marks->at[before - 1].launch_ns >= begins[n - 2];)
		before--;
	if (n <= PERIOD_LEAST_STEPS || REST_PARTS * (marks->n - last) >= last - before)
		return;
	begins[n - 1] = begins[n];
	steps->n--;
}

static int take(const struct step_marks *marks, const struct proposal *proposal,
				struct updated_steps *steps)
{
	size_t n = 1;
	int64_t *own = malloc(((size_t)proposal->n + 1) * sizeof(*own));
	uint32_t *lengths = malloc(2 * ((size_t)proposal->n + 1) * sizeof(*lengths));
	if (!own || !lengths) {
		free(own);
		free(lengths);
		return -ENOMEM;
	}
	memcpy(own, proposal->begins, proposal->n * sizeof(*own));
	own[proposal->n] = proposal->end_ns;
	leave_evaluation(marks, own, proposal->n, lengths);
	free(lengths);
	for (size_t i = 1; i < proposal->n; i++) /* nodes of a graph have one launch */
		if (own[i] > own[n - 1])
			own[n++] = own[i];
	own[n] = proposal->end_ns;
	free(steps->begins);
	steps->begins = own;
	steps->n = n;
	return 0;
}

/* The best bursts, of equals those with the fewest steps. *any: there are some. */
static int seek_bursts(const struct step_marks *marks, const bool *flags,
					   struct updated_steps *steps, bool *any)
{
	struct proposals proposals;
	const struct proposal *best = NULL;
	int error = proposals_of_names(marks, flags, &proposals);
	for (size_t i = 0; !error && i < proposals.n; i++) {
		const struct proposal *p = &proposals.at[i];
		if (p->quality >= SURE && (!best || p->quality > best->quality ||
								   (p->quality == best->quality && p->n < best->n)))
			best = p;
	}
	*any = best != NULL;
	if (best)
		error = take(marks, best, steps);
	proposals_free(&proposals);
	return error;
}

int updates_find(struct period_memo *periods, const struct update_names *names,
				 const struct step_marks *marks, struct updated_steps *out)
{
	*out = (struct updated_steps){.update = UPDATES_NONE};
	int error = period_memo_find(periods, marks->at, marks->n, &out->begins, &out->n);
	if (error || !names->is)
		return error;
	struct held held;
	error = held_open(&held, marks->n_names, out->n);
	if (!error && flag_names(names, marks, &held)) {
		bool in = steps_update(marks, out, &held);
		if (in)
			join_rest(marks, out);
		else
			error = seek_bursts(marks, held.flags, out, &in);
		out->update = in ? UPDATES_IN : UPDATES_OUT;
	}
	held_close(&held);
	return error;
}
