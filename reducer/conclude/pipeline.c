#include "conclude/pipeline.h"

#include "summary/series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The least message of all between the stages: what one micro-batch sends over one border. 0: none,
 * or communicators of several sizes have such messages. *stages: the size of all. */
static int64_t least_message(const struct summary *s, int64_t *stages)
{
	static const char *const ops[] = {"Send", "Recv", "SendRecv"};
	int64_t least = 0;
	for (size_t i = 0; i < s->n_nccl; i++) {
		const struct nccl_summary *row = &s->nccl[i];
		bool sends = false;
		for (size_t k = 0; k < sizeof(ops) / sizeof(ops[0]); k++)
			sends |= strcmp(summary_text(s, row->op), ops[k]) == 0;
		if (!sends)
			continue;
		if (row->bytes <= 0 || (least > 0 && row->members != *stages))
			return 0;
		*stages = row->members;
		least = least == 0 || row->bytes < least ? row->bytes : least;
	}
	return least;
}

/* Messages sent and received per step; -1: no whole number of them. */
static int64_t messages(const struct summary *s, const struct device_summary *d, int64_t least)
{
	for (size_t i = 0; i < s->n_series; i++) {
		const struct series *row = &s->series[i];
		__int128 bytes = 0;
		if (row->device != d->key || strcmp(summary_text(s, row->what), SERIES_SENT) != 0)
			continue;
		for (size_t cell = 0; cell < series_cells(row->steps, row->width); cell++)
			bytes += row->ns[cell];
		const __int128 step = (__int128)least * row->steps, n = (bytes + step / 2) / step;
		const __int128 off = bytes > n * step ? bytes - n * step : n * step - bytes;
		return n > 0 && 100 * off <= step ? (int64_t)n : -1;
	}
	return -1;
}

/* The first and the last stage have one neighbour, the others have two. With m micro-batches and v
 * chunks of a stage an inner one has 4 m v messages, the outer ones 2 m less. */
static bool read_schedule(const int64_t *n, size_t devices, struct pipeline *p)
{
	const size_t pipelines = devices / (size_t)p->stages;
	int64_t outer = n[0], inner = n[0];
	size_t n_outer = 0, n_inner = 0;
	for (size_t i = 0; i < devices; i++) {
		outer = n[i] < outer ? n[i] : outer;
		inner = n[i] > inner ? n[i] : inner;
	}
	for (size_t i = 0; i < devices; i++) {
		n_outer += n[i] == outer;
		n_inner += n[i] == inner;
	}
	if (p->stages == 2) { /* chunks cannot be known: a stage is taken to be whole */
		p->micro_batches = outer / 2;
		p->chunks = 1;
		return outer == inner && outer > 0 && outer % 2 == 0;
	}
	p->micro_batches = (inner - outer) / 2;
	p->chunks = p->micro_batches > 0 ? inner / (4 * p->micro_batches) : 0;
	return outer > 0 && n_outer == 2 * pipelines && n_inner == devices - n_outer &&
		   (inner - outer) % 2 == 0 && p->chunks > 0 && p->chunks * 4 * p->micro_batches == inner;
}

/* What a device does by itself in a step: all but NCCL. */
static int64_t own_ns(const struct device_summary *d)
{
	const int64_t steps = d->steps > 0 ? d->steps : 1;
	return d->window_ns / steps - figures_device_time(d, LEAVES_NCCL);
}

int pipeline_find(const struct summary *s, const struct figures *f, struct pipeline *p)
{
	struct pipeline found = {0};
	const int64_t least = least_message(s, &found.stages);
	*p = (struct pipeline){0};
	if (least == 0 || !f->has_steps || found.stages < 2 || s->n_devices % (size_t)found.stages != 0)
		return 0;
	int64_t *n = calloc(s->n_devices, sizeof(*n));
	__int128 own = 0;
	bool known = n != NULL;
	for (size_t i = 0; n && i < s->n_devices; i++) {
		n[i] = messages(s, &s->devices[i], least);
		known = known && n[i] > 0;
		own += own_ns(&s->devices[i]);
	}
	known = known && read_schedule(n, s->n_devices, &found);
	free(n);
	if (!n)
		return -ENOMEM;
	if (!known)
		return 0;
	found.bubble_ns = (int64_t)(own * (found.stages - 1) / (int64_t)s->n_devices /
								(found.micro_batches * found.chunks));
	/* stages that wait less than that have another schedule */
	if (10 * (__int128)found.bubble_ns <= 11 * (__int128)f->time_ns[LEAF_NCCL_UNSPLIT])
		*p = found;
	return 0;
}

/* The slowest stage does all its micro-batches, the others one of each of their chunks before and
 * after: what a step takes with these own times. */
static int64_t step_of(const struct pipeline *p, const int64_t *own, size_t n)
{
	const int64_t parts = p->micro_batches * p->chunks;
	__int128 sum = 0;
	int64_t most = 0;
	for (size_t i = 0; i < n; i++) {
		sum += own[i];
		most = own[i] > most ? own[i] : most;
	}
	return (int64_t)((sum + (__int128)(parts - 1) * most) / parts);
}

int pipeline_cost(const struct pipeline *p, const struct summary *s, size_t device, int64_t *ns)
{
	const size_t n = s->n_devices;
	*ns = INT64_MAX;
	if ((size_t)p->stages != n) /* which stages belong together is not known */
		return 0;
	int64_t *own = calloc(2 * n, sizeof(*own));
	if (!own)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		own[i] = own_ns(&s->devices[i]);
	const int64_t now = step_of(p, own, n);
	memcpy(own + n, own, n * sizeof(*own));
	own[n + device] = own[2 * n - 1]; /* the others, one after the other */
	const int64_t median = figures_median(own + n, n - 1);
	own[device] = median < own[device] ? median : own[device];
	*ns = now - step_of(p, own, n);
	free(own);
	return 0;
}
