/* Which rows of a table are shown where there are more than was asked for. */
#include "jitter/print.h"

#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

struct choice { /* a row of a table */
	double size;
	uint32_t row;
};

static int by_size(const void *a, const void *b)
{
	const struct choice *x = a, *y = b;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static int by_row(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

/* The *n largest of `of` choices, in order of their rows; frees the choices. */
static uint32_t *choose(struct choice *choices, uint32_t of, uint32_t *n)
{
	uint32_t *rows = choices ? malloc(((size_t)of + 1) * sizeof(*rows)) : NULL;
	*n = of < *n ? of : *n;
	if (rows) {
		sort_rows(choices, of, sizeof(*choices), by_size);
		for (uint32_t i = 0; i < *n; i++)
			rows[i] = choices[i].row;
		sort_rows(rows, *n, sizeof(*rows), by_row);
	}
	free(choices);
	return rows;
}

uint32_t *jitter_choose_ranks(const struct jitter_printed *p, uint32_t *n)
{
	const uint32_t ranks = p->study->n_ranks;
	struct choice *choices = malloc(((size_t)ranks + 1) * sizeof(*choices));
	for (uint32_t r = 0; choices && r < ranks; r++)
		choices[r] = (struct choice){fabs(p->verdict->ranks[r].behind_ns), r};
	return choose(choices, ranks, n);
}

uint32_t *jitter_choose_steps(const struct jitter_printed *p, uint32_t *n)
{
	struct choice *choices = malloc(((size_t)p->study->axis.n + 1) * sizeof(*choices));
	uint32_t of = 0;
	for (uint32_t k = 0; choices && k < p->study->axis.n; k++) {
		const struct step_row *row = &p->verdict->steps[k];
		if (row->ranks > 1)
			choices[of++] = (struct choice){(double)row->most_ns - (double)row->least_ns, k};
	}
	return choose(choices, of, n);
}
