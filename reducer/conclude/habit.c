#include "conclude/habit.h"

#include "base/sort.h"
#include "conclude/by_step.h"
#include "conclude/rare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 4 }; /* times what the others have, each of the rare steps has at least */

/* Of so many events (from 1), how many there may be in the mean at least: the lower limit of a
 * Poisson rate at 0.5 %, in thousandths. What was drawn again from a few rare steps says nothing: most
 * draws lack them. */
static const int64_t at_least[] = {5, 103, 338, 672, 1078, 1537, 2037, 2571};

static int by_size(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;
	return *x > *y ? -1 : *x < *y;
}

/* The most steps that are rare, of values with the largest first; 0: none. *rest_ns: the mean of the
 * others. */
static size_t count_rare(const int64_t *ns, size_t n, __int128 all, int64_t *rest_ns)
{
	size_t rare = 0;
	__int128 sum = 0;
	for (size_t i = 0; RARE_FEW * (i + 1) <= n; i++) {
		sum += ns[i];
		const struct rare_part part = {(__int128)i + 1, sum}, whole = {(__int128)n, all};
		const int64_t others_ns = (int64_t)((all - sum) / (__int128)(n - i - 1));
		if (!rare_is(&part, &whole) || ns[i] / EACH < others_ns)
			continue;
		rare = i + 1;
		*rest_ns = others_ns;
	}
	return rare;
}

/* In 2^20ths: shares and sums are too large to be multiplied. */
static int64_t share_of(int64_t share_ns, __int128 part, __int128 all)
{
	const __int128 scale = 1 << 20;
	return (int64_t)(share_ns * (part * scale / all) / scale);
}

/* Splits each step into what it has more than the rest's mean, in `more`, and what is left. How many
 * events that makes: neighbours are one. */
static size_t take_apart(struct by_step *steps, struct by_step *more, int64_t least_ns,
						 int64_t rest_ns)
{
	size_t events = 0;
	for (size_t i = 0; i < steps->n; i++) {
		more->ns[i] = steps->ns[i] >= least_ns ? steps->ns[i] - rest_ns : 0;
		steps->ns[i] -= more->ns[i];
		events += more->ns[i] > 0 && (i == 0 || more->ns[i - 1] == 0);
	}
	return events;
}

static int64_t rare_limit(const struct by_step *more, size_t events, int64_t rare_ns)
{
	const __int128 limit = by_step_limit(more), all = by_step_sum(more);
	const int64_t drawn_ns = all > 0 ? share_of(rare_ns, limit, all) : 0;
	if (events == 0 || events > sizeof(at_least) / sizeof(at_least[0]))
		return drawn_ns;
	const int64_t counted_ns = share_of(rare_ns, at_least[events - 1], 1000 * (__int128)events);
	return counted_ns > drawn_ns ? counted_ns : drawn_ns;
}

static int split(struct by_step *steps, int64_t share_ns, struct habit *out)
{
	const __int128 all = by_step_sum(steps);
	struct by_step more = {.ns = malloc((steps->n + 1) * sizeof(*more.ns)), .n = steps->n};
	int64_t rest_ns = 0;
	if (!more.ns)
		return -ENOMEM;
	memcpy(more.ns, steps->ns, steps->n * sizeof(*more.ns));
	sort_rows(more.ns, more.n, sizeof(*more.ns), by_size);
	const size_t rare = all > 0 ? count_rare(more.ns, more.n, all, &rest_ns) : 0;
	if (rare) {
		const size_t events = take_apart(steps, &more, more.ns[rare - 1], rest_ns);
		*out = (struct habit){.steps = rare,
							  .rare_ns = share_of(share_ns, by_step_sum(&more), all),
							  .every_limit_ns = share_of(share_ns, by_step_limit(steps), all)};
		out->rare_limit_ns = rare_limit(&more, events, out->rare_ns);
		out->every_ns = share_ns - out->rare_ns;
	}
	by_step_close(&more);
	return 0;
}

int habit_find(const struct summary *summary, uint64_t leaves, int64_t share_ns, struct habit *out)
{
	struct by_step steps;
	*out = (struct habit){0};
	int error = by_step_open(&steps, summary, leaves, 0);
	if (!error && steps.n >= RARE_FEW)
		error = split(&steps, share_ns, out);
	by_step_close(&steps);
	return error;
}
