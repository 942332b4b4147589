#include "graph/host_clocks.h"

#include "base/room.h"
#include "base/saturate.h"
#include "base/sort.h"
#include "read/rows.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_PAIRS = 4, LEAST_FOR_DRIFT = 8, DRIFT_NS = 3000, SAME_NS = 2000 };

struct left { /* a collective, and when a host left it first */
	uint64_t comm, sequence;
	int64_t bytes;
	uint32_t coll, host;
	int64_t end_ns;
};

struct both {      /* one collective on two hosts */
	uint32_t host; /* whose clock is sought */
	int64_t own_ns, other_ns;
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

int64_t host_offset_time(const struct host_offset *o, int64_t ns)
{
	const double more = o->constant_ns + o->slope * (double)saturate_sub(ns, o->origin_ns);
	if (fabs(more) > (double)BATON_TIME_LIMIT_NS)
		return ns; /* no clock is that far off */
	return saturate_add(ns, (int64_t)(more < 0 ? more - 0.5 : more + 0.5));
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
			a->both[a->n_both++] =
				(struct both){a->lefts[k].host, a->lefts[k].end_ns,
							  host_offset_time(&a->hosts->offsets[host], own->end_ns)};
		}
	}
	return 0;
}

static int by_host(const void *a, const void *b)
{
	const struct both *x = a, *y = b;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return x->own_ns < y->own_ns ? -1 : x->own_ns > y->own_ns;
}

static int by_number(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* The middle of what is left of the differences when a drift is taken off. */
static double middle(const struct both *both, size_t n, double slope, double *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = (double)(both[i].other_ns - both[i].own_ns) -
				  slope * (double)(both[i].own_ns - both[0].own_ns);
	sort_rows(room, n, sizeof(*room), by_number);
	return n % 2 ? room[n / 2] : (room[n / 2 - 1] + room[n / 2]) / 2;
}

static double drift(const struct both *both, size_t n)
{
	double x_sum = 0, y_sum = 0, xx = 0, xy = 0;
	for (size_t i = 0; i < n; i++) {
		x_sum += (double)(both[i].own_ns - both[0].own_ns) / (double)n;
		y_sum += (double)(both[i].other_ns - both[i].own_ns) / (double)n;
	}
	for (size_t i = 0; i < n; i++) {
		const double x = (double)(both[i].own_ns - both[0].own_ns) - x_sum;
		xx += x * x;
		xy += x * ((double)(both[i].other_ns - both[i].own_ns) - y_sum);
	}
	return xx > 0 ? xy / xx : 0;
}

/* How far nine of ten differences are from the fitted line, at most. */
static int64_t residual(const struct host_offset *o, const struct both *both, size_t n,
						double *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = fabs((double)(host_offset_time(o, both[i].own_ns) - both[i].other_ns));
	sort_rows(room, n, sizeof(*room), by_number);
	return (int64_t)room[(n - 1) * 9 / 10];
}

static int fit(const struct host_clocks *hosts, const struct both *both, size_t n)
{
	struct host_offset *o = &hosts->offsets[both[0].host];
	double *room = malloc(n * sizeof(*room));
	if (!room)
		return -ENOMEM;
	o->origin_ns = both[0].own_ns;
	o->constant_ns = middle(both, n, 0, room);
	if (n > LEAST_FOR_DRIFT && room[n - 1] - room[0] > DRIFT_NS) {
		o->slope = drift(both, n);
		o->constant_ns = middle(both, n, o->slope, room);
	}
	if (o->slope == 0 && o->constant_ns < SAME_NS && o->constant_ns > -SAME_NS)
		o->constant_ns = 0;
	o->residual_ns = residual(o, both, n, room);
	free(room);
	return 0;
}

static int align_all(struct aligning *a, bool *done, uint32_t *queue)
{
	uint32_t head = 0, tail = 0;
	for (uint32_t host = 1; host < a->hosts->n_hosts; host++)
		a->hosts->offsets[host].residual_ns = -1;
	done[0] = true;
	queue[tail++] = 0;
	while (head < tail) {
		int error = collect(a, queue[head++], done);
		sort_rows(a->both, a->n_both, sizeof(*a->both), by_host);
		for (size_t i = 0, end; !error && i < a->n_both; i = end) {
			for (end = i; end < a->n_both && a->both[end].host == a->both[i].host; end++)
				;
			if (end - i < LEAST_PAIRS)
				continue;
			error = fit(a->hosts, &a->both[i], end - i);
			done[a->both[i].host] = true;
			queue[tail++] = a->both[i].host;
		}
		if (error)
			return error;
	}
	return 0;
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
