#include "steps/period.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct symbol {
	uint32_t symbol;
	size_t count;
	size_t first; /* position of its first launch */
	size_t last;
};

struct position {
	uint32_t symbol;
	size_t at;
};

static int by_symbol(const void *a, const void *b)
{
	const struct position *x = a, *y = b;
	if (x->symbol != y->symbol)
		return x->symbol < y->symbol ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

static int by_size(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return x < y ? -1 : x > y;
}

/* Counts within 2 % (at least 1) are the same count: a record may be lost here and there. */
static bool same_count(size_t a, size_t b)
{
	size_t larger = a > b ? a : b, slack = larger / 50 > 1 ? larger / 50 : 1;
	return larger < 20 ? a == b : larger - (a < b ? a : b) <= slack;
}

/* The count that most distinct symbols share; of equals the larger. */
static size_t common_count(const struct symbol *symbols, size_t n)
{
	size_t best = 0, best_support = 0;
	for (size_t i = 0; i < n; i++) {
		size_t support = 0;
		if (symbols[i].count < PERIOD_LEAST_STEPS)
			continue;
		for (size_t k = 0; k < n; k++)
			support += same_count(symbols[k].count, symbols[i].count);
		if (support > best_support || (support == best_support && symbols[i].count > best)) {
			best = symbols[i].count;
			best_support = support;
		}
	}
	return best;
}

/* Do the launches positions[0..n) come in a steady rhythm: every distance within a factor 3 of the
 * median one? */
static bool regular(const struct position *positions, size_t n, size_t *scratch)
{
	for (size_t i = 1; i < n; i++)
		scratch[i - 1] = positions[i].at - positions[i - 1].at;
	qsort(scratch, n - 1, sizeof(*scratch), by_size);
	size_t median = scratch[(n - 2) / 2];
	return scratch[0] * 3 >= median && scratch[n - 2] <= 3 * median;
}

static size_t list_symbols(const struct position *positions, size_t n, struct symbol *symbols)
{
	size_t found = 0;
	for (size_t i = 0; i < n; i++) {
		if (found == 0 || symbols[found - 1].symbol != positions[i].symbol)
			symbols[found++] = (struct symbol){.symbol = positions[i].symbol, .first = i};
		symbols[found - 1].count++;
		symbols[found - 1].last = i;
	}
	return found;
}

/* The symbol that begins the steps: shares the common count, regular, launched first of all such.
 */
static const struct symbol *choose_anchor(const struct symbol *symbols, size_t n,
										  const struct position *positions, size_t *scratch)
{
	size_t count = common_count(symbols, n);
	const struct symbol *anchor = NULL;
	for (size_t i = 0; count && i < n; i++) {
		const struct symbol *s = &symbols[i];
		if (s->count < PERIOD_LEAST_STEPS || !same_count(s->count, count) ||
			!regular(positions + s->first, s->count, scratch))
			continue;
		if (!anchor || positions[s->first].at < positions[anchor->first].at)
			anchor = s;
	}
	return anchor;
}

int period_find(const struct launch_mark *marks, size_t n_marks, int64_t **begins, size_t *n)
{
	struct position *positions = malloc((n_marks + 1) * sizeof(*positions));
	struct symbol *symbols = malloc((n_marks + 1) * sizeof(*symbols));
	size_t *scratch = malloc((n_marks + 1) * sizeof(*scratch));
	int error = positions && symbols && scratch ? 0 : -ENOMEM;
	*begins = NULL;
	*n = 0;
	if (!error) {
		for (size_t i = 0; i < n_marks; i++)
			positions[i] = (struct position){marks[i].symbol, i};
		qsort(positions, n_marks, sizeof(*positions), by_symbol);
		size_t n_symbols = list_symbols(positions, n_marks, symbols);
		const struct symbol *anchor = choose_anchor(symbols, n_symbols, positions, scratch);
		*begins = anchor ? malloc(anchor->count * sizeof(**begins)) : NULL;
		for (size_t i = 0; *begins && i < anchor->count; i++)
			(*begins)[(*n)++] = marks[positions[anchor->first + i].at].launch_ns;
		error = anchor && !*begins ? -ENOMEM : 0;
	}
	free(positions);
	free(symbols);
	free(scratch);
	return error;
}
