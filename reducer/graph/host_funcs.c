#include "graph/host_funcs.h"

#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	BEGINS_MOST_NS = 200000, /* a function that begins later was launched late */
	FOLLOWS_MOST_NS = 20000  /* so does an op that begins later after one */
};

static int by_stream(const void *a, const void *b)
{
	const struct host_func *x = a, *y = b;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

static int by_size(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/* When the op of the stream was over that began last before `ns`; `ns` itself: none was. */
static int64_t free_since(const struct process *p, uint32_t stream, int64_t ns)
{
	const struct process_stream *s = &p->streams[stream];
	uint32_t low = 0, high = s->n_ops;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (p->ops[s->ops[middle]].begin < ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low && p->ops[s->ops[low - 1]].end < ns ? p->ops[s->ops[low - 1]].end : ns;
}

static int find_begins_after(struct host_funcs *f, const struct process *p)
{
	int64_t *after_ns = malloc((f->n + 1) * sizeof(*after_ns));
	size_t n = 0;
	if (!after_ns)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++) {
		const struct host_func *func = &f->at[i];
		int64_t from = free_since(p, func->stream, func->begin);
		if (i && func[-1].stream == func->stream && func[-1].end > from)
			from = func[-1].end;
		if (from < func->begin && func->begin - from <= BEGINS_MOST_NS)
			after_ns[n++] = func->begin - from;
	}
	sort_rows(after_ns, n, sizeof(*after_ns), by_size);
	f->begins_after_ns = n ? after_ns[n / 2] : 0;
	free(after_ns);
	return 0;
}

int host_funcs_open(struct host_funcs *f, const struct process *p)
{
	*f = (struct host_funcs){.at = malloc((p->n_helds + 1) * sizeof(*f->at))};
	if (!f->at)
		return -ENOMEM;
	for (size_t i = 0; i < p->n_helds; i++) {
		const struct held_row *row = &p->helds[i];
		if (row->kind == BATON_SYNC_HOST_FUNC && row->stream && row->stream < p->n_streams)
			f->at[f->n++] = (struct host_func){row->begin, row->end, row->stream};
	}
	sort_rows(f->at, f->n, sizeof(*f->at), by_stream);
	return find_begins_after(f, p);
}

void host_funcs_close(struct host_funcs *f)
{
	free(f->at);
	*f = (struct host_funcs){0};
}

/* The first function of the stream that begins at `ns` or later. */
static size_t first_from(const struct host_funcs *f, uint32_t stream, int64_t ns)
{
	const struct host_func least = {.begin = ns, .stream = stream};
	size_t low = 0, high = f->n;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (by_stream(&f->at[middle], &least) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int64_t host_funcs_take(const struct host_funcs *f, uint32_t stream, const int64_t span[2],
						bool *follows)
{
	int64_t ns = 0, free_ns = span[0];
	for (size_t i = first_from(f, stream, span[0]); i < f->n; i++) {
		const struct host_func *func = &f->at[i];
		const int64_t waits_ns = func->begin - free_ns;
		if (func->stream != stream || func->end > span[1])
			break;
		if (func->end <= free_ns)
			continue;
		ns += waits_ns < f->begins_after_ns ? waits_ns : f->begins_after_ns;
		ns += func->end - func->begin;
		free_ns = func->end;
	}
	*follows = free_ns > span[0] && span[1] - free_ns <= FOLLOWS_MOST_NS;
	return *follows ? ns + span[1] - free_ns : ns;
}
