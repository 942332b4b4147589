#include "steps/sequence.h"

#include "base/table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

enum { RARE = 32 }; /* in a context less often than once in 32 a launch is foreign there */

int sequence_pairs(const uint32_t *a, const uint32_t *b, uint32_t n, uint32_t *ids, uint32_t *n_ids)
{
	struct pair {
		uint32_t a, b;
	} *rows = NULL;
	struct table pairs = {0};
	size_t n_rows = 0;
	int error = 0;
	for (uint32_t i = 0; !error && i < n; i++) {
		struct pair pair = {a[i], b[i]};
		uint32_t id = table_add(&pairs, TABLE_ROWS(rows, n_rows, b), &pair);
		ids[i] = id - 1;
		error = id ? 0 : -ENOMEM;
	}
	*n_ids = (uint32_t)n_rows;
	free(rows);
	table_free(&pairs);
	return error;
}

/* How often each pair and each triple of neighbours occurs, by the position of its first. */
struct contexts {
	uint32_t *pair, *triple;
	uint32_t *singles, *pairs, *triples; /* counts by id */
};

static void contexts_free(struct contexts *c)
{
	free(c->pair);
	free(c->triple);
	free(c->singles);
	free(c->pairs);
	free(c->triples);
}

static int contexts_count(const uint32_t *symbol, uint32_t n, uint32_t n_symbols,
						  struct contexts *c)
{
	uint32_t n_pairs = 0, n_triples = 0;
	c->pair = malloc((n + 1) * sizeof(*c->pair));
	c->triple = malloc((n + 1) * sizeof(*c->triple));
	c->singles = calloc((size_t)n_symbols + 1, sizeof(*c->singles));
	c->pairs = calloc(n + 1, sizeof(*c->pairs));
	c->triples = calloc(n + 1, sizeof(*c->triples));
	if (!c->pair || !c->triple || !c->singles || !c->pairs || !c->triples)
		return -ENOMEM;
	int error = sequence_pairs(symbol, symbol + 1, n - 1, c->pair, &n_pairs);
	if (!error)
		error = sequence_pairs(c->pair, symbol + 2, n - 2, c->triple, &n_triples);
	for (uint32_t i = 0; i < n; i++)
		c->singles[symbol[i]]++;
	for (uint32_t i = 0; !error && i + 1 < n; i++)
		c->pairs[c->pair[i]]++;
	for (uint32_t i = 0; !error && i + 2 < n; i++)
		c->triples[c->triple[i]]++;
	return error;
}

static bool rare(uint32_t with, uint32_t without)
{
	return with < 2 || (uint64_t)with * RARE < without;
}

/* Does neither the launch before nor the two before announce the one at i? */
static bool foreign_left(const struct contexts *c, const uint32_t *symbol, uint32_t i)
{
	return (i < 1 || rare(c->pairs[c->pair[i - 1]], c->singles[symbol[i - 1]])) &&
		   (i < 2 || rare(c->triples[c->triple[i - 2]], c->pairs[c->pair[i - 2]]));
}

static bool foreign_right(const struct contexts *c, const uint32_t *symbol, uint32_t i, uint32_t n)
{
	return (i + 1 >= n || rare(c->pairs[c->pair[i]], c->singles[symbol[i + 1]])) &&
		   (i + 2 >= n || rare(c->triples[c->triple[i]], c->pairs[c->pair[i + 1]]));
}

/* Leaves out launches that neither the two before nor the two after announce: an inserted kernel,
 * a warm-up that never returns. The neighbours of a lost launch keep one good side. */
static int drop_foreign(struct sequence *s)
{
	struct contexts c = {0};
	uint32_t kept = 0, n = s->n;
	if (n < 6)
		return 0;
	bool *foreign = malloc(n);
	int error = foreign ? contexts_count(s->symbol, n, s->n_symbols, &c) : -ENOMEM;
	for (uint32_t i = 0; !error && i < n; i++) {
		foreign[i] = foreign_left(&c, s->symbol, i) && foreign_right(&c, s->symbol, i, n);
	}
	for (uint32_t i = 0; !error && i < n; i++) {
		if (foreign[i])
			continue;
		s->symbol[kept] = s->symbol[i];
		s->mark[kept++] = s->mark[i];
	}
	s->n = error ? n : kept;
	free(foreign);
	contexts_free(&c);
	return error;
}

static void join_runs(struct sequence *s)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < s->n; i++) {
		if (kept && s->symbol[kept - 1] == s->symbol[i])
			continue;
		s->symbol[kept] = s->symbol[i];
		s->mark[kept++] = s->mark[i];
	}
	s->n = kept;
}

int sequence_build(const struct launch_mark *marks, size_t n_marks, struct sequence *out)
{
	*out = (struct sequence){0};
	if (n_marks > INT32_MAX)
		return -EOVERFLOW;
	out->n = (uint32_t)n_marks;
	out->symbol = calloc(n_marks + 1, sizeof(*out->symbol));
	out->mark = malloc((n_marks + 1) * sizeof(*out->mark));
	if (!out->symbol || !out->mark)
		return -ENOMEM;
	for (uint32_t i = 0; i < out->n; i++) {
		out->symbol[i] = marks[i].symbol;
		out->mark[i] = i;
	}
	int error = sequence_pairs(out->symbol, out->symbol, out->n, out->symbol, &out->n_symbols);
	join_runs(out);
	if (!error)
		error = drop_foreign(out);
	join_runs(out);
	return error;
}

void sequence_free(struct sequence *sequence)
{
	free(sequence->symbol);
	free(sequence->mark);
}

size_t sequence_place(const struct launch_mark *marks, size_t n, int64_t ns)
{
	size_t low = 0, high = n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (marks[middle].launch_ns < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
