#include "export/peers.h"

#include "base/room.h"
#include "base/shift.h"
#include "base/sort.h"
#include "read/comm_ranks.h"
#include "read/rows.h"

#include <errno.h>
#include <stdlib.h>

/* Clocks of hosts are aligned to less than this, or they are not at all (graph/host_clocks.h). */
enum { APART_NS = 100000, LEAST_ROOM = 1024 };

struct link {
	uint64_t comm;    /* its hash */
	int32_t from, to; /* ranks in it */
	int32_t receives; /* 0: it sends */
	struct peer_end end;
	int64_t start_ns, end_ns; /* on the clock of all */
};

struct links {
	struct link *at;
	size_t n, room;
};

/* ---- reading ---- */

/* A communicator of all ranks says no ranks of its own in some sources: they are the job's. */
static int32_t own_rank(const struct scene *scene, uint32_t process, const struct trace *trace,
						uint32_t comm)
{
	const struct run_process *p = &scene->run.processes[process];
	const int32_t own = comm_ranks_own(trace, comm);
	if (own >= 0 || p->world_size < 0 || trace->comms[comm].size != (uint32_t)p->world_size)
		return own;
	return p->rank;
}

static int add_row(const struct scene *scene, uint32_t process, const struct trace *trace,
				   const struct rows *rows, struct links *links)
{
	const int64_t kind = rows_value(rows, COLL_KIND), start = rows_value(rows, ROW_START);
	const uint32_t comm = idmap_get(&trace->comm_ids, (uint64_t)rows_value(rows, COLL_COMM));
	const int64_t peer = rows_optional(rows, COLL_PEER, 0) - 1;
	const int32_t own = comm ? own_rank(scene, process, trace, comm) : -1;
	if ((kind != BATON_COLL_SEND && kind != BATON_COLL_RECV) || own < 0 || peer < 0 || peer == own)
		return 0;
	if (room_for((void **)&links->at, links->n, &links->room, LEAST_ROOM, sizeof(*links->at)) != 0)
		return -ENOMEM;
	const bool receives = kind == BATON_COLL_RECV;
	links->at[links->n++] = (struct link){
		.comm = trace->comms[comm].hash,
		.from = receives ? (int32_t)peer : own,
		.to = receives ? own : (int32_t)peer,
		.receives = receives,
		.end = {.process = process, .correlation = (uint64_t)rows_value(rows, COLL_CORRELATION)},
		.start_ns = scene_time(scene, process, start),
		.end_ns = scene_time(scene, process, start + rows_value(rows, ROW_DUR))};
	return 0;
}

static int read_process(const struct scene *scene, uint32_t process, struct links *links)
{
	struct trace trace;
	struct rows rows;
	int error = run_process_open(&scene->run.processes[process], &trace, scene->run.damage);
	if (error)
		return error;
	if (trace.n_comms > 1) {
		error = rows_open_within(&rows, &trace, BATON_COLLECTIVE, scene->from_ns[process],
								 scene->to_ns[process]);
		while (!error && rows_next(&rows)) {
			const int64_t start = rows_value(&rows, ROW_START);
			if (start >= scene->from_ns[process] && start < scene->to_ns[process])
				error = add_row(scene, process, &trace, &rows, links);
		}
		error = error ? error : rows.error;
		rows_close(&rows);
	}
	trace_close(&trace);
	return error;
}

/* ---- meeting ---- */

static int by_pair(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	if (x->comm != y->comm)
		return x->comm < y->comm ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	if (x->receives != y->receives)
		return x->receives - y->receives;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return (x->end.correlation > y->end.correlation) - (x->end.correlation < y->end.correlation);
}

static bool same_pair(const struct link *x, const struct link *y)
{
	return x->comm == y->comm && x->from == y->from && x->to == y->to;
}

static bool may_have_met(const struct link *x, const struct link *y)
{
	return x->end.process != y->end.process && x->start_ns - APART_NS <= y->end_ns &&
		   y->start_ns - APART_NS <= x->end_ns;
}

struct pair { /* links of one pair of ranks, in their order */
	struct link *sends, *receives;
	int64_t n_sends, n_receives;
};

static bool met(const void *context, int64_t i, int64_t k)
{
	const struct pair *p = context;
	return may_have_met(&p->sends[i], &p->receives[k]);
}

/* The part that is shown may cut the two rows at different places. */
static void meet(const struct pair *p, uint64_t *meetings)
{
	const struct shift_rows rows = {p->n_sends, p->n_receives, met, p};
	const int64_t shift = shift_best(&rows);
	for (int64_t i = shift < 0 ? -shift : 0; i < p->n_sends && i + shift < p->n_receives; i++) {
		struct link *send = &p->sends[i], *receive = &p->receives[i + shift];
		if (may_have_met(send, receive))
			send->end.meeting = receive->end.meeting = PEERS_BITS | ++*meetings;
	}
}

static void meet_all(struct links *links)
{
	uint64_t meetings = 0;
	sort_rows(links->at, links->n, sizeof(*links->at), by_pair);
	for (size_t i = 0, end; i < links->n; i = end) {
		struct pair pair = {.sends = &links->at[i]};
		for (end = i; end < links->n && same_pair(&links->at[i], &links->at[end]); end++)
			pair.n_sends += !links->at[end].receives;
		pair.receives = pair.sends + pair.n_sends;
		pair.n_receives = (int64_t)(end - i) - pair.n_sends;
		meet(&pair, &meetings);
	}
}

/* ---- what is kept ---- */

static int by_kernel(const void *a, const void *b)
{
	const struct peer_end *x = a, *y = b;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return (x->meeting > y->meeting) - (x->meeting < y->meeting);
}

static int keep(const struct links *links, struct peers *peers)
{
	peers->at = malloc((links->n + 1) * sizeof(*peers->at));
	if (!peers->at)
		return -ENOMEM;
	for (size_t i = 0; i < links->n; i++)
		if (links->at[i].end.meeting)
			peers->at[peers->n++] = links->at[i].end;
	sort_rows(peers->at, peers->n, sizeof(*peers->at), by_kernel);
	return 0;
}

int peers_find(const struct scene *scene, struct peers *peers)
{
	struct links links = {0};
	int error = 0;
	*peers = (struct peers){0};
	for (uint32_t i = 0; !error && i < scene->run.n_processes; i++)
		if (scene->from_ns[i] < scene->to_ns[i])
			error = read_process(scene, i, &links);
	if (!error) {
		meet_all(&links);
		error = keep(&links, peers);
	}
	free(links.at);
	return error;
}

void peers_free(struct peers *peers)
{
	free(peers->at);
	*peers = (struct peers){0};
}

size_t peers_of(const struct peers *peers, uint32_t process, uint64_t correlation,
				const struct peer_end **first)
{
	const struct peer_end key = {.process = process, .correlation = correlation};
	size_t from = 0, to = peers->n, n = 0;
	while (from < to) { /* the first one that is not less */
		const size_t middle = from + (to - from) / 2;
		if (by_kernel(&peers->at[middle], &key) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	*first = peers->at + from;
	while (from + n < peers->n && peers->at[from + n].process == process &&
		   peers->at[from + n].correlation == correlation)
		n++;
	return correlation ? n : 0;
}
