#include "graph/holdings.h"

#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

static int by_thread(const void *a, const void *b)
{
	const struct holding *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

static void add(struct process *p, const struct holding *holding)
{
	if (holding->end <= holding->begin || holding->label == LABEL_NONE)
		return;
	p->holdings[p->n_holdings++] = *holding;
}

static uint8_t label_of_call(uint8_t class)
{
	return class == CALL_LOADS                           ? LABEL_LOCK_LOAD
		   : class == CALL_ALLOCS || class == CALL_FREES ? LABEL_LOCK_ALLOC
														 : LABEL_NONE;
}

static uint8_t label_of_span(const struct span *span)
{
	return span->thread == 0                  ? LABEL_NONE
		   : span->label == LABEL_PROFILER    ? LABEL_LOCK_PROFILER
		   : span->label == LABEL_MODULE_LOAD ? LABEL_LOCK_LOAD
											  : LABEL_NONE;
}

static void gather(struct process *p)
{
	for (size_t i = 0; i < p->n_scheds; i++)
		add(p, &(struct holding){p->scheds[i].slept, p->scheds[i].waited, p->sched_threads[i],
								 LABEL_LOCK_NO_CORE});
	for (size_t i = 0; i < p->n_calls; i++)
		add(p, &(struct holding){p->calls[i].begin, p->calls[i].end, p->calls[i].thread,
								 label_of_call(p->calls[i].class)});
	for (size_t i = 0; i < p->n_spans; i++)
		add(p, &(struct holding){p->spans[i].begin, p->spans[i].end, p->spans[i].thread,
								 label_of_span(&p->spans[i])});
}

static int by_begin(const void *a, const void *b)
{
	const struct holding *x = a, *y = b;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* What the profiler does at the same time on several threads counts once. */
static int find_profilings(struct process *p)
{
	size_t n = 0;
	p->profilings = malloc((p->n_holdings + 1) * sizeof(*p->profilings));
	if (!p->profilings)
		return -ENOMEM;
	for (size_t i = 0, k = 0; i < p->n_holdings; i++) { /* both are in the order of threads */
		const struct holding *of = &p->holdings[i];
		while (k < p->n_threads && p->threads[k].index < of->thread)
			k++;
		if (of->label == LABEL_LOCK_PROFILER && k < p->n_threads &&
			p->threads[k].index == of->thread)
			p->profilings[n++] = *of;
	}
	sort_rows(p->profilings, n, sizeof(*p->profilings), by_begin);
	for (size_t i = 0; i < n; i++) {
		const struct holding *of = &p->profilings[i];
		struct holding *last = p->n_profilings ? &p->profilings[p->n_profilings - 1] : NULL;
		if (!last || of->begin > last->end)
			p->profilings[p->n_profilings++] = *of;
		else
			last->end = of->end > last->end ? of->end : last->end;
	}
	return 0;
}

int holdings_find(struct process *p)
{
	bool locks = false;
	for (size_t i = 0; i < p->n_scheds; i++)
		locks |= p->scheds[i].holder != 0;
	if (!locks)
		return 0;
	p->holdings = malloc((p->n_scheds + p->n_calls + p->n_spans) * sizeof(*p->holdings));
	if (!p->holdings)
		return -ENOMEM;
	gather(p);
	sort_rows(p->holdings, p->n_holdings, sizeof(*p->holdings), by_thread);
	size_t n = 0;
	for (size_t i = 0; i < p->n_holdings; i++) { /* one after the other: the outer one counts */
		struct holding of = p->holdings[i];
		const struct holding *last = n ? &p->holdings[n - 1] : NULL;
		if (last && of.thread == last->thread && of.begin < last->end)
			of.begin = last->end;
		if (of.begin < of.end)
			p->holdings[n++] = of;
	}
	p->n_holdings = n;
	return find_profilings(p);
}

size_t profilings_from(const struct process *p, int64_t ns)
{
	size_t low = 0, high = p->n_profilings;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (p->profilings[middle].end <= ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t holdings_from(const struct process *p, uint32_t thread, int64_t ns)
{
	size_t low = 0, high = p->n_holdings;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct holding *of = &p->holdings[middle];
		if (of->thread < thread || (of->thread == thread && of->end <= ns))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
