#include "export/launches.h"

#include "base/room.h"
#include "base/sort.h"
#include "export/together.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 1024 };

/* Flows of collectives have it, those of launches do not; those of sends have another one too. */
#define MEETING_BIT ((uint64_t)1 << 63)

static int by_correlation(const void *a, const void *b)
{
	const struct launch *x = a, *y = b;
	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

static int read_ops(struct launches *l, struct trace *trace, int64_t from_ns, int64_t to_ns)
{
	struct rows rows;
	size_t kept = 0;
	int error = rows_open_within(&rows, trace, BATON_OP, from_ns, to_ns);
	while (!error && rows_next(&rows)) {
		const uint64_t correlation = (uint64_t)rows_value(&rows, OP_CORRELATION);
		const int64_t start = rows_value(&rows, OP_START);
		if (!correlation || start < from_ns || start >= to_ns)
			continue;
		error = room_for((void **)&l->at, l->n, &l->room, LEAST_ROOM, sizeof(*l->at));
		if (!error)
			l->at[l->n++] = (struct launch){.correlation = correlation};
	}
	error = error ? error : rows.error;
	rows_close(&rows);
	sort_rows(l->at, l->n, sizeof(*l->at), by_correlation);
	for (size_t i = 0; i < l->n; i++)
		if (!kept || l->at[i].correlation != l->at[kept - 1].correlation)
			l->at[kept++] = l->at[i];
	l->n = kept;
	return error;
}

struct launch *launches_find(const struct launches *launches, uint64_t correlation)
{
	const struct launch key = {.correlation = correlation};
	return launches->n && correlation
			   ? bsearch(&key, launches->at, launches->n, sizeof(*launches->at), by_correlation)
			   : NULL;
}

/* One number for all members of a collective that has arguments; 0: its members are not known. A
 * send and its receive are no such members. */
static uint64_t meeting_of(const struct walk_row *coll, const struct trace *trace)
{
	const uint32_t comm = idmap_get(&trace->comm_ids, (uint64_t)coll->value[COLL_COMM]);
	const int64_t kind = coll->value[COLL_KIND];
	if (!comm || kind < BATON_COLL_ALLREDUCE || kind > BATON_COLL_SCATTER ||
		!(coll->present >> COLL_SEQUENCE & 1))
		return 0;
	uint64_t number = trace->comms[comm].hash;
	number = (number ^ (uint64_t)kind) * 0x9e3779b97f4a7c15u;
	number = (number ^ number >> 29 ^ (uint64_t)coll->value[COLL_SEQUENCE]) * 0xbf58476d1ce4e5b9u;
	number = (number ^ number >> 32) * 0x94d049bb133111ebu;
	return (number & ~PEERS_BITS) | MEETING_BIT;
}

static int read_collectives(struct launches *l, struct trace *trace, int64_t from_ns, int64_t to_ns)
{
	struct rows rows;
	int error = rows_open_within(&rows, trace, BATON_COLLECTIVE, from_ns, to_ns);
	while (!error && rows_next(&rows)) {
		struct launch *launch = launches_find(l, (uint64_t)rows_value(&rows, COLL_CORRELATION));
		if (!launch || launch->coll)
			continue;
		error =
			room_for((void **)&l->colls, l->n_colls, &l->colls_room, LEAST_ROOM, sizeof(*l->colls));
		if (error)
			break;
		walk_row_copy(&l->colls[l->n_colls], &rows, BATON_COLLECTIVE);
		launch->meeting = meeting_of(&l->colls[l->n_colls], trace);
		launch->coll = ++l->n_colls;
	}
	error = error ? error : rows.error;
	rows_close(&rows);
	return error;
}

int launches_read(struct launches *launches, struct trace *trace, int64_t from_ns, int64_t to_ns)
{
	int error = read_ops(launches, trace, from_ns, to_ns);
	return error ? error : read_collectives(launches, trace, from_ns, to_ns);
}

void launches_free(struct launches *launches)
{
	free(launches->at);
	free(launches->colls);
	memset(launches, 0, sizeof(*launches));
}
