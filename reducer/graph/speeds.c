#include "graph/speeds.h"

#include "base/sort.h"
#include "classify/classes.h"

#include <errno.h>
#include <stdlib.h>

struct timed {
	int64_t ns;
	uint16_t kind;
};

static int by_kind(const void *a, const void *b)
{
	const struct timed *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* The program's own time, as far as it is no stretch of code that a run may lack; SPEEDS: none. */
static uint16_t host_kind(const struct model *m, const struct position *position)
{
	const uint8_t kind = m->graph.edges[position->edge].kind;
	if (position->ns <= 0 || position->ns >= CAUSE_CODE_NS)
		return SPEEDS;
	return kind == EDGE_CALL ? SPEEDS_CALL : kind == EDGE_OUTSIDE ? SPEEDS_OUTSIDE : SPEEDS;
}

int speeds_of(const struct model *m, struct speeds *out)
{
	struct timed *rows = malloc((m->n_kernels + m->n_host + 1) * sizeof(*rows));
	size_t n = 0;
	*out = (struct speeds){{0}};
	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < m->n_kernels; i++)
		rows[n++] = (struct timed){m->kernels[i].ns, m->kernels[i].class};
	for (size_t i = 0; i < m->n_host; i++) {
		const uint16_t kind = host_kind(m, &m->host[i]);
		if (kind != SPEEDS)
			rows[n++] = (struct timed){m->host[i].ns, kind};
	}
	sort_rows(rows, n, sizeof(*rows), by_kind);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && rows[end].kind == rows[i].kind; end++)
			;
		out->ns[rows[i].kind] = rows[i + (end - i) / 2].ns;
	}
	free(rows);
	return 0;
}

static double times_of(const struct speeds *own, const struct speeds *like, uint16_t kind)
{
	const bool both = kind < SPEEDS && own->ns[kind] > 0 && like->ns[kind] > 0;
	return both ? (double)like->ns[kind] / (double)own->ns[kind] : 1;
}

void speeds_take(const struct causes *c, const struct speeds *own, const struct speeds *like,
				 int64_t *weights_ns)
{
	const struct model *m = c->model;
	for (size_t i = 0; i < m->n_kernels; i++) {
		int64_t *weight_ns = &weights_ns[m->kernels[i].edge];
		if (cause_group(m->kernels[i].class) != GROUP_NCCL) /* they wait for others */
			cause_stretch(weight_ns, times_of(own, like, m->kernels[i].class));
	}
	for (size_t i = 0; i < m->n_host; i++)
		cause_stretch_own(c, i, times_of(own, like, host_kind(m, &m->host[i])), weights_ns);
}
