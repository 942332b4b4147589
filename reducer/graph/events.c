#include "graph/events.h"

#include "base/radix.h"
#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	LAG_MASK = 3,
	LAGS = 3, /* records back that a wait may be for */
	GRAIN_NS = 1000,
	REFUTED_PART = 50, /* of the instances: 2 % may contradict */
	RECORDS = 6,
	PAIRS_MOST = 1 << 21, /* of more nothing is guessed: waits times streams times streams */
	LOOKS_MOST = 1 << 29  /* the same for streams that make no pair */
};

struct happening { /* in the order of the host: a launch, a record, a wait */
	int64_t ns;
	uint32_t index; /* of the call; of a launch: of its op */
	uint8_t what;   /* 0: launch, 1: record, 2: wait */
};

struct pair { /* one wait, if it is of this site */
	uint64_t site;
	uint32_t before, after; /* ops */
	uint8_t lag;
};

struct finding_pairs {
	const struct process *process;
	struct happening *at;
	size_t n;
	struct pair *pairs;
	size_t n_pairs, room;
	int64_t records[RECORDS]; /* the latest, a ring */
	uint32_t n_records;
	uint32_t last;  /* the op launched last; NO_INDEX */
	uint32_t waits; /* since then */
	uint64_t looks; /* at streams */
};

static int by_time(const void *a, const void *b)
{
	const struct happening *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->what != y->what ? x->what - y->what : (x->index > y->index) - (x->index < y->index);
}

/* False: there are no waits. */
static bool list(struct finding_pairs *f)
{
	const struct process *p = f->process;
	bool any = false;
	for (uint32_t i = 0; i < p->n_calls; i++) {
		const struct host_call *call = &p->calls[i];
		const bool waits = call->class == CALL_WAITS_EVENT;
		any |= waits;
		if (waits || call->class == CALL_RECORDS_EVENT)
			f->at[f->n++] = (struct happening){call->end, i, waits ? 2 : 1};
		if (call->first_op != NO_INDEX)
			f->at[f->n++] = (struct happening){call->begin, call->first_op, 0};
	}
	if (any)
		sort_rows(f->at, f->n, sizeof(*f->at), by_time);
	return any;
}

static int add_pair(struct finding_pairs *f, const struct pair *pair)
{
	if (f->n_pairs == PAIRS_MOST)
		return -E2BIG;
	if (room_for((void **)&f->pairs, f->n_pairs, &f->room, 256, sizeof(*pair)) != 0)
		return -ENOMEM;
	f->pairs[f->n_pairs++] = *pair;
	return 0;
}

/* The op of stream `from` that each of the last records may stand for. */
static int try_stream(struct finding_pairs *f, const struct process_stream *from, uint64_t site,
					  uint32_t after)
{
	for (uint32_t lag = 0; lag < LAGS && lag < f->n_records; lag++) {
		const int64_t ns = f->records[(f->n_records - 1 - lag) % RECORDS];
		const uint32_t n = process_given_before(f->process, from, ns);
		const struct pair pair = {site, n ? from->launched[n - 1] : 0, after, (uint8_t)lag};
		int error = n ? add_pair(f, &pair) : 0;
		if (error)
			return error;
	}
	return 0;
}

static int try_pairs(struct finding_pairs *f, const struct happening *wait)
{
	const struct process *p = f->process;
	const struct device_op *last = &p->ops[f->last];
	uint64_t base = hash_mix(3, p->calls[wait->index].thread);
	base = hash_mix(hash_mix(base, last->stream), f->waits);
	base = hash_mix(base, p->n_streams <= 3 ? last->name : 0);
	for (uint32_t to = 1; to < p->n_streams; to++) {
		const struct process_stream *s = &p->streams[to];
		f->looks += p->n_streams;
		if (f->looks > LOOKS_MOST)
			return -E2BIG;
		if (s->n_launched == 0 || s->unit != last->unit)
			continue;
		const uint32_t n = process_given_before(p, s, wait->ns);
		for (uint32_t from = 1; n < s->n_launched && from < p->n_streams; from++) {
			if (from == to || p->streams[from].n_launched == 0 || p->streams[from].unit != s->unit)
				continue;
			int error = try_stream(f, &p->streams[from], hash_mix(hash_mix(base, from), to),
								   s->launched[n]);
			if (error)
				return error;
		}
	}
	return 0;
}

static int walk(struct finding_pairs *f)
{
	f->last = NO_INDEX;
	for (size_t i = 0; i < f->n; i++) {
		const struct happening *h = &f->at[i];
		if (h->what == 0) {
			f->last = h->index;
			f->waits = 0;
		} else if (h->what == 1) {
			f->records[f->n_records++ % RECORDS] = h->ns;
		} else if (f->last != NO_INDEX) {
			f->waits++;
			int error = try_pairs(f, h);
			if (error)
				return error;
		}
	}
	return 0;
}

/* The pairs of one site and lag are rows [from, to). */
static bool is_refuted(const struct finding_pairs *f, const struct radix_row *rows, size_t n)
{
	const struct process *p = f->process;
	size_t refuted = 0;
	for (size_t i = 0; i < n; i++) {
		const struct pair *pair = &f->pairs[rows[i].index];
		refuted += p->ops[pair->before].end > p->ops[pair->after].begin + GRAIN_NS;
	}
	return refuted * REFUTED_PART > n;
}

static int add_event(struct arrivals *arrivals, const struct process *p,
					 const struct device_op *before, uint32_t after)
{
	const int64_t gap_ns = process_queued_gap(p, &p->ops[after]);
	return arrivals_add(arrivals,
						&(struct arrival){before->end, gap_ns, after, before->begin_node + 1,
										  EDGE_EVENT, before->stream, 0});
}

static int take_pair(const struct finding_pairs *f, const struct pair *pair,
					 struct arrivals *arrivals)
{
	const struct process *p = f->process;
	const struct device_op *before = &p->ops[pair->before];
	if (before->end > p->ops[pair->after].begin)
		return 0;
	return add_event(arrivals, p, before, pair->after);
}

/* Of each site the smallest lag that nothing refutes. */
static int take(const struct finding_pairs *f, const struct radix_row *rows,
				struct arrivals *arrivals)
{
	uint64_t taken = 0;
	for (size_t i = 0, end; i < f->n_pairs; i = end) {
		const uint64_t site = rows[i].key | LAG_MASK;
		for (end = i + 1; end < f->n_pairs && rows[end].key == rows[i].key; end++)
			;
		if ((i && taken == site) || is_refuted(f, &rows[i], end - i))
			continue;
		taken = site;
		for (size_t k = i; k < end; k++) {
			int error = take_pair(f, &f->pairs[rows[k].index], arrivals);
			if (error)
				return error;
		}
	}
	return 0;
}

/* By site, then by lag. */
static int take_sorted(const struct finding_pairs *f, struct arrivals *arrivals)
{
	struct radix_row *rows = malloc((f->n_pairs + 1) * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < f->n_pairs; i++)
		rows[i] = (struct radix_row){(f->pairs[i].site & ~(uint64_t)LAG_MASK) | f->pairs[i].lag,
									 (uint32_t)i};
	int error = radix_sort(rows, f->n_pairs);
	error = error ? error : take(f, rows, arrivals);
	free(rows);
	return error;
}

/* The op that the stream got next after a wait starts after the one that the other stream got last
 * before the event was recorded on it. */
static int arrive_after(const struct process *p, const struct event_row *record,
						const struct event_row *wait, struct arrivals *arrivals)
{
	const struct process_stream *from = &p->streams[record->stream];
	const struct process_stream *to = &p->streams[wait->stream];
	const uint32_t n = process_given_before(p, from, record->ns),
				   k = process_given_before(p, to, wait->ns);
	if (n == 0 || k == to->n_launched || record->stream == wait->stream)
		return 0;
	const struct device_op *before = &p->ops[from->launched[n - 1]];
	const uint32_t after = to->launched[k];
	if (before->end > p->ops[after].begin)
		return 0;
	return add_event(arrivals, p, before, after);
}

/* With the arguments: a wait is for the last record of its event before it. */
static int arrive_known(const struct process *p, struct arrivals *arrivals)
{
	const struct event_row *record = NULL;
	for (size_t i = 0; i < p->n_events; i++) {
		const struct event_row *row = &p->events[i];
		if (!row->waits)
			record = row;
		if (!row->waits || !record || record->event != row->event)
			continue;
		int error = arrive_after(p, record, row, arrivals);
		if (error)
			return error;
	}
	return 0;
}

/* Some sources have the waits alone. */
static bool are_known(const struct process *p)
{
	bool waits = false, records = false;
	for (size_t i = 0; i < p->n_events && !(waits && records); i++) {
		waits |= p->events[i].waits;
		records |= !p->events[i].waits;
	}
	return waits && records;
}

int events_arrive(const struct process *process, struct arrivals *arrivals)
{
	if (are_known(process))
		return arrive_known(process, arrivals);
	struct finding_pairs f = {.process = process};
	int error = 0;
	f.at = malloc((2 * process->n_calls + 1) * sizeof(*f.at));
	if (!f.at)
		return -ENOMEM;
	if (list(&f))
		error = walk(&f);
	if (error == -E2BIG)
		error = 0;
	else if (!error)
		error = take_sorted(&f, arrivals);
	free(f.at);
	free(f.pairs);
	return error;
}
