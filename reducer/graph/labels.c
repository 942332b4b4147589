#include "graph/labels.h"

#include "base/room.h"
#include "base/sort.h"
#include "graph/holdings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Of a process: what is every thread's costs memory for each of them. */
enum { MOST_BOUNDS = 1 << 23 };

struct bound { /* where time of a label begins (+1) or ends (-1) */
	int64_t ns;
	int8_t by;
	uint8_t label;
};

struct bounds {
	struct bound *at;
	size_t n, room, most;
};

static int bounds_add(struct bounds *b, int64_t begin, int64_t end, uint8_t label)
{
	if (end <= begin)
		return 0;
	if (b->n + 2 > b->most)
		return -E2BIG;
	while (b->n + 2 > b->room)
		if (room_double((void **)&b->at, &b->room, 64, sizeof(*b->at)) != 0)
			return -ENOMEM;
	b->at[b->n++] = (struct bound){begin, 1, label};
	b->at[b->n++] = (struct bound){end, -1, label};
	return 0;
}

static int by_ns(const void *a, const void *b)
{
	const struct bound *x = a, *y = b;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static int make_pieces(struct host_thread *t, struct bounds *b)
{
	int32_t open[LABELS] = {0};
	uint8_t now = LABEL_NONE;
	t->pieces = malloc((b->n + 1) * sizeof(*t->pieces));
	if (!t->pieces)
		return -ENOMEM;
	sort_rows(b->at, b->n, sizeof(*b->at), by_ns);
	for (size_t i = 0; i < b->n; i++) {
		const int64_t ns = b->at[i].ns;
		open[b->at[i].label] += b->at[i].by;
		if (i + 1 < b->n && b->at[i + 1].ns == ns)
			continue;
		uint8_t label = LABELS - 1;
		while (label && open[label] == 0)
			label--;
		if (label == LABEL_NO_CORE && open[LABEL_MODULE_LOAD])
			label = LABEL_LOAD_NO_CORE;
		else if (label == LABEL_NO_CORE && open[LABEL_ALLOC])
			label = LABEL_ALLOC_NO_CORE;
		if (label == now)
			continue;
		if (now)
			t->pieces[t->n_pieces - 1].end = ns;
		if (label)
			t->pieces[t->n_pieces++] = (struct labelled){ns, ns, 0, label};
		now = label;
	}
	return 0;
}

struct lock_wait { /* the thread sleeps for the lock */
	const struct sched_row *row;
	int64_t begin_ns;
};

static int add_holding(const struct lock_wait *wait, const struct holding *of, struct bounds *b)
{
	const int64_t to_ns = wait->row->slept;
	return bounds_add(b, of->begin > wait->begin_ns ? of->begin : wait->begin_ns,
					  of->end < to_ns ? of->end : to_ns, of->label);
}

/* Who sleeps until it has the lock loses what the thread loses that is known to hold it, and all of
 * the profiler's work on other threads, as that is done with the lock. Its own goes before anyway.
 * A damaged trace may have rows that overlap: begin_ns is after those that were seen. */
static int add_lock_wait(const struct process *p, const struct lock_wait *wait, struct bounds *b)
{
	const uint32_t holder = wait->row->holder;
	const int64_t to_ns = wait->row->slept;
	size_t i = holdings_from(p, holder, wait->begin_ns);
	int error = 0;
	for (; !error && i < p->n_holdings && p->holdings[i].thread == holder; i++) {
		if (p->holdings[i].begin >= to_ns)
			break;
		error = add_holding(wait, &p->holdings[i], b);
	}
	i = profilings_from(p, wait->begin_ns);
	for (; !error && i < p->n_profilings && p->profilings[i].begin < to_ns; i++)
		error = add_holding(wait, &p->profilings[i], b);
	return error;
}

size_t labels_spans_from(const struct process *p, uint32_t thread)
{
	size_t low = 0, high = p->n_spans;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (p->spans[middle].thread < thread)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Spans without a thread are every thread's, but for input. */
static int add_spans(const struct process *p, uint32_t thread, bool but_input, struct bounds *b)
{
	size_t low = labels_spans_from(p, thread);
	int error = 0;
	for (; !error && low < p->n_spans && p->spans[low].thread == thread; low++) {
		const struct span *span = &p->spans[low];
		if (!but_input || span->label != LABEL_INPUT)
			error = bounds_add(b, span->begin, span->end, span->label);
	}
	return error;
}

static int gather(const struct process *p, const struct host_thread *t, struct bounds *b)
{
	static const uint8_t of_class[] = {[CALL_WAITS] = LABEL_SYNC,
									   [CALL_FREES] = LABEL_ALLOC,
									   [CALL_ALLOCS] = LABEL_ALLOC,
									   [CALL_LOADS] = LABEL_MODULE_LOAD,
									   [CALL_SENDS] = LABEL_NONE};
	int64_t slept_ns = INT64_MIN;
	int error = 0;
	for (uint32_t i = 0; !error && i < t->n_scheds; i++) {
		const struct sched_row *row = &t->scheds[i];
		error = bounds_add(b, row->begin, row->slept, row->input ? LABEL_INPUT : LABEL_BLOCKED);
		error = error ? error : bounds_add(b, row->slept, row->waited, LABEL_NO_CORE);
		const struct lock_wait wait = {row, row->begin > slept_ns ? row->begin : slept_ns};
		error = error || !row->holder ? error : add_lock_wait(p, &wait, b);
		slept_ns = row->holder && row->slept > slept_ns ? row->slept : slept_ns;
	}
	for (uint32_t i = 0; !error && i < t->n_calls; i++) {
		const uint8_t label =
			t->calls[i].class < sizeof(of_class) ? of_class[t->calls[i].class] : LABEL_NONE;
		if (label)
			error = bounds_add(b, t->calls[i].begin, t->calls[i].end, label);
	}
	error = error || !t->index ? error : add_spans(p, 0, true, b);
	return error ? error : add_spans(p, t->index, false, b);
}

static int by_span_thread(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

size_t labels_begin(struct process *p)
{
	sort_rows(p->spans, p->n_spans, sizeof(*p->spans), by_span_thread);
	return MOST_BOUNDS;
}

int labels_find(const struct process *p, struct host_thread *t, size_t *left)
{
	struct bounds bounds = {.most = *left};
	int error = gather(p, t, &bounds);
	if (!error)
		error = make_pieces(t, &bounds);
	*left -= bounds.n;
	free(bounds.at);
	return error;
}

void thread_labels(const struct host_thread *t, int64_t from, int64_t to, int64_t by_label[LABELS])
{
	uint32_t low = 0, high = t->n_pieces;
	memset(by_label, 0, LABELS * sizeof(*by_label));
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (t->pieces[middle].end <= from)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < t->n_pieces && t->pieces[low].begin < to; low++) {
		const struct labelled *piece = &t->pieces[low];
		const int64_t begin = piece->begin > from ? piece->begin : from;
		const int64_t end = piece->end < to ? piece->end : to,
					  shared = piece->end - piece->joint_ns;
		const int64_t own_ns = shared <= begin ? 0 : shared < end ? shared - begin : end - begin;
		by_label[piece->label] += own_ns;
		if (piece->joint_ns)
			by_label[LABEL_INPUT_NO_CORE] += end - begin - own_ns;
	}
}

int64_t thread_take_sleep(int64_t by_label[LABELS])
{
	static const uint8_t asleep[] = {LABEL_BLOCKED, LABEL_LOCK_NO_CORE, LABEL_LOCK_PROFILER,
									 LABEL_LOCK_LOAD, LABEL_LOCK_ALLOC};
	int64_t ns = 0;
	for (size_t i = 0; i < sizeof(asleep) / sizeof(asleep[0]); i++) {
		ns += by_label[asleep[i]];
		by_label[asleep[i]] = 0;
	}
	return ns;
}

int thread_note(struct model *model, uint32_t edge, const int64_t by_label[LABELS])
{
	for (uint8_t label = 1; label < LABELS; label++) {
		if (by_label[label] <= 0)
			continue;
		struct amount *amount = MODEL_ADD(model, amounts);
		if (!amount)
			return -ENOMEM;
		*amount = (struct amount){by_label[label], edge, label};
	}
	return 0;
}
