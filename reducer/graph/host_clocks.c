#include "graph/host_clocks.h"

#include "base/room.h"
#include "base/sort.h"
#include "read/rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_PAIRS = 4 };

struct left { /* a collective, and when a host left it first */
	uint64_t comm, sequence;
	int64_t bytes;
	uint32_t coll, host;
	int64_t end_ns;
};

struct both {      /* one collective on two hosts */
	uint32_t host; /* whose clock is sought */
	struct clock_pair at;
};

struct aligning {
	const struct host_clocks *hosts;
	struct left *lefts;
	size_t n_lefts, lefts_room;
	struct both *both;
	size_t n_both, both_room;
};

static int take(struct aligning *a, const struct trace *trace, const struct rows *rows,
				uint32_t host)
{
	const uint32_t comm = idmap_get(&trace->comm_ids, (uint64_t)rows_value(rows, COLL_COMM));
	const int64_t coll = rows_value(rows, COLL_KIND);
	if (!comm || coll < BATON_COLL_ALLREDUCE || coll > BATON_COLL_BARRIER ||
		!(rows->now->present >> COLL_SEQUENCE & 1))
		return 0;
	if (room_for((void **)&a->lefts, a->n_lefts, &a->lefts_room, 256, sizeof(*a->lefts)) != 0)
		return -ENOMEM;
	a->lefts[a->n_lefts++] =
		(struct left){trace->comms[comm].hash,
					  (uint64_t)rows_value(rows, COLL_SEQUENCE),
					  rows_optional(rows, COLL_BYTES, -1),
					  (uint32_t)coll,
					  host,
					  rows_value(rows, COLL_START) + rows_value(rows, COLL_DUR)};
	return 0;
}

static int read_process(struct aligning *a, uint32_t process)
{
	const struct host_clocks *hosts = a->hosts;
	const int64_t from = hosts->from_ns[process], to = hosts->to_ns[process];
	struct trace trace;
	struct rows rows;
	if (from >= to)
		return 0;
	int error = run_process_open(&hosts->run->processes[process], &trace, NULL);
	if (error)
		return error;
	error = rows_open_within(&rows, &trace, BATON_COLLECTIVE, from, to);
	while (!error && rows_next(&rows))
		error = take(a, &trace, &rows, hosts->host_of[process]);
	rows_close(&rows);
	trace_close(&trace);
	return error;
}

static int same_collective(const struct left *x, const struct left *y)
{
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->coll != y->coll)
		return x->coll < y->coll ? -1 : 1;
	if (x->sequence != y->sequence)
		return x->sequence < y->sequence ? -1 : 1;
	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static int by_collective(const void *a, const void *b)
{
	const struct left *x = a, *y = b;
	const int order = same_collective(x, y);
	if (order)
		return order;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

/* Of each collective and host the first end. */
static void keep_first(struct aligning *a)
{
	size_t kept = 0;
	sort_rows(a->lefts, a->n_lefts, sizeof(*a->lefts), by_collective);
	for (size_t i = 0; i < a->n_lefts; i++)
		if (!kept || same_collective(&a->lefts[i], &a->lefts[kept - 1]) ||
			a->lefts[i].host != a->lefts[kept - 1].host)
			a->lefts[kept++] = a->lefts[i];
	a->n_lefts = kept;
}

/* Pairs of `host` with hosts that are not aligned. */
static int collect(struct aligning *a, uint32_t host, const bool *done)
{
	a->n_both = 0;
	for (size_t i = 0, end; i < a->n_lefts; i = end) {
		const struct left *own = NULL;
		for (end = i; end < a->n_lefts && !same_collective(&a->lefts[i], &a->lefts[end]); end++)
			own = a->lefts[end].host == host ? &a->lefts[end] : own;
		for (size_t k = i; own && k < end; k++) {
			if (done[a->lefts[k].host])
				continue;
			if (room_for((void **)&a->both, a->n_both, &a->both_room, 256, sizeof(*a->both)) != 0)
				return -ENOMEM;
			a->both[a->n_both++] = (struct both){
				a->lefts[k].host,
				{a->lefts[k].end_ns, host_offset_time(&a->hosts->offsets[host], own->end_ns)}};
		}
	}
	return 0;
}

static int by_host(const void *a, const void *b)
{
	const struct both *x = a, *y = b;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->at.common_ns < y->at.common_ns ? -1 : x->at.common_ns > y->at.common_ns;
}

/* The clock of the host that these pairs are of. */
static int fit(const struct aligning *a, const struct both *both, size_t n)
{
	struct clock_pair *pairs = malloc(n * sizeof(*pairs));
	if (!pairs)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		pairs[i] = both[i].at;
	const int error = clock_fit(pairs, n, &a->hosts->offsets[both[0].host]);
	free(pairs);
	return error;
}

/* All hosts on the clock of one, from those it shares collectives with on to theirs. */
static int align_to(struct aligning *a, uint32_t reference, bool *done, uint32_t *queue)
{
	uint32_t head = 0, tail = 0;
	for (uint32_t host = 0; host < a->hosts->n_hosts; host++) {
		a->hosts->offsets[host] = (struct host_offset){.residual_ns = host == reference ? 0 : -1};
		done[host] = host == reference;
	}
	queue[tail++] = reference;
	while (head < tail) {
		int error = collect(a, queue[head++], done);
		sort_rows(a->both, a->n_both, sizeof(*a->both), by_host);
		for (size_t i = 0, end; !error && i < a->n_both; i = end) {
			for (end = i; end < a->n_both && a->both[end].host == a->both[i].host; end++)
				;
			if (end - i < LEAST_PAIRS)
				continue;
			error = fit(a, &a->both[i], end - i);
			done[a->both[i].host] = true;
			queue[tail++] = a->both[i].host;
		}
		if (error)
			return error;
	}
	return 0;
}

/* The host whose clock jumps least beside the reference's, if most of them do: then the reference's
 * does. */
static uint32_t steadier(const struct host_clocks *hosts)
{
	uint32_t jump = 0, least = 0;
	for (uint32_t i = 1; i < hosts->n_hosts; i++) {
		const struct host_offset *o = &hosts->offsets[i];
		jump += o->n_jumps > 0;
		if (o->residual_ns >= 0 && (!least || o->n_jumps < hosts->offsets[least].n_jumps))
			least = i;
	}
	return hosts->n_hosts > 2 && 2 * jump > hosts->n_hosts - 1 ? least : 0;
}

static int align_all(struct aligning *a, bool *done, uint32_t *queue)
{
	const struct host_clocks *hosts = a->hosts;
	int error = align_to(a, 0, done, queue);
	const uint32_t other = error ? 0 : steadier(hosts);
	if (other == 0)
		return error;
	const uint32_t before = host_clocks_state(hosts->offsets, hosts->n_hosts).n_jumps;
	error = align_to(a, other, done, queue);
	if (!error && host_clocks_state(hosts->offsets, hosts->n_hosts).n_jumps >= before)
		error = align_to(a, 0, done, queue);
	return error;
}

int host_clocks_align(const struct host_clocks *hosts)
{
	struct aligning a = {.hosts = hosts};
	bool *done = calloc(hosts->n_hosts, sizeof(*done));
	uint32_t *queue = calloc(hosts->n_hosts, sizeof(*queue));
	int error = done && queue ? 0 : -ENOMEM;
	for (uint32_t i = 0; !error && i < hosts->run->n_processes; i++)
		error = read_process(&a, i);
	keep_first(&a);
	if (!error)
		error = align_all(&a, done, queue);
	free(a.lefts);
	free(a.both);
	free(done);
	free(queue);
	return error;
}

uint32_t host_clocks_number(const struct run *run, uint32_t *host_of)
{
	uint32_t n = 0;
	for (size_t i = 0; i < run->n_processes; i++) {
		size_t k = 0;
		while (run->processes[k].host != run->processes[i].host)
			k++;
		host_of[i] = k < i ? host_of[k] : n++;
	}
	return n;
}

struct clock_state host_clocks_state(const struct host_offset *offsets, uint32_t n_hosts)
{
	struct clock_state state = {.n_hosts = n_hosts};
	for (uint32_t i = 0; i < n_hosts; i++) {
		const struct host_offset *o = &offsets[i];
		state.n_lost += o->residual_ns < 0;
		state.residual_ns = o->residual_ns > state.residual_ns ? o->residual_ns : state.residual_ns;
		state.n_jumps += o->n_jumps;
		if (llabs(o->jump_ns) > llabs(state.jump_ns))
			state.jump_ns = o->jump_ns;
	}
	return state;
}

/* Aligns a run by the first process of each host, or by all of its processes. */
static int look(const struct host_clocks *hosts, int64_t *from, int64_t *to, bool all)
{
	memset(hosts->offsets, 0, hosts->n_hosts * sizeof(*hosts->offsets));
	for (size_t i = 0, next = 0; i < hosts->run->n_processes; i++) {
		const bool first = hosts->host_of[i] == next;
		next += first;
		from[i] = all || first ? INT64_MIN : INT64_MAX;
		to[i] = INT64_MAX;
	}
	return host_clocks_align(hosts);
}

int host_clocks_look(const struct run *run, struct clock_state *state)
{
	const size_t n = run->n_processes + 1;
	uint32_t *host_of = calloc(n, sizeof(*host_of));
	int64_t *from = calloc(n, sizeof(*from)), *to = calloc(n, sizeof(*to));
	const uint32_t n_hosts = host_of ? host_clocks_number(run, host_of) : 0;
	struct host_offset *offsets = calloc(n_hosts + 1, sizeof(*offsets));
	const struct host_clocks hosts = {run, host_of, n_hosts, from, to, offsets};
	int error = host_of && from && to && offsets ? 0 : -ENOMEM;
	*state = (struct clock_state){.n_hosts = n_hosts};
	if (!error && n_hosts > 1) {
		error = look(&hosts, from, to, false);
		*state = host_clocks_state(offsets, n_hosts);
	}
	if (!error && state->n_lost && n_hosts < run->n_processes) {
		error = look(&hosts, from, to, true);
		*state = host_clocks_state(offsets, n_hosts);
	}
	free(host_of);
	free(from);
	free(to);
	free(offsets);
	return error;
}

const char *host_clocks_words(const struct clock_state *state, char text[CLOCK_WORDS])
{
	const double us = (double)state->residual_ns / 1e3;
	int n = 0;
	if (state->n_hosts < 2)
		snprintf(text, CLOCK_WORDS, "one host, one clock");
	else if (state->n_lost)
		snprintf(text, CLOCK_WORDS,
				 "%u of %u hosts share too few collectives to align their clocks: compare times "
				 "within a host only",
				 state->n_lost, state->n_hosts);
	else if (state->residual_ns > HOST_CLOCKS_WORST_NS)
		snprintf(
			text, CLOCK_WORDS,
			"the clocks of %u hosts cannot be aligned: the ends of collectives fit only to %.1f "
			"us in nine of ten; compare times within a host only",
			state->n_hosts, us);
	else
		n = snprintf(text, CLOCK_WORDS,
					 "clocks of %u hosts aligned by the ends of collectives, to %.1f us or better "
					 "in nine of ten",
					 state->n_hosts, us);
	if (n > 0 && state->n_jumps)
		snprintf(text + n, (size_t)(CLOCK_WORDS - n),
				 "; %u jump%s of a clock corrected (%s%+.3f ms)", state->n_jumps,
				 state->n_jumps == 1 ? "" : "s", state->n_jumps == 1 ? "" : "largest ",
				 (double)state->jump_ns / 1e6);
	return text;
}
