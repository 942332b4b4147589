#include "attribute/foreseen.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/* A collective and the launch of its kernel. */
struct foretold {
	struct coll_op op;
	uint64_t correlation;
	size_t row;
};

struct telling {
	struct trace trace;
	struct foretold *at;
	size_t n, room;
	bool fits;
};

uint64_t foreseen_add(uint64_t sum, const struct coll_op *op)
{
	return XXH3_64bits_withSeed(op, sizeof(*op), sum);
}

static int take_row(struct telling *t, const struct rows *row, uint64_t member)
{
	const uint64_t correlation = (uint64_t)rows_value(row, COLL_CORRELATION);
	const uint32_t comm = idmap_get(&t->trace.comm_ids, (uint64_t)rows_value(row, COLL_COMM));
	if (!correlation)
		return 0;
	if (!(row->now->present >> COLL_SEQUENCE & 1))
		t->fits = false; /* it depends on the steps */
	if (room_for((void **)&t->at, t->n, &t->room, 256, sizeof(*t->at)) != 0)
		return -ENOMEM;
	struct foretold *told = &t->at[t->n];
	memset(told, 0, sizeof(*told));
	told->row = t->n++;
	told->correlation = correlation;
	told->op.key.comm = comm ? t->trace.comms[comm].hash : 0;
	told->op.key.coll = (uint8_t)rows_value(row, COLL_KIND);
	told->op.key.sequence = (uint64_t)rows_optional(row, COLL_SEQUENCE, 0);
	told->op.key.step_number = -1;
	told->op.member = member;
	told->op.dur_ns = rows_value(row, COLL_DUR);
	told->op.end_ns = rows_value(row, COLL_START) + told->op.dur_ns;
	told->op.bytes = rows_optional(row, COLL_BYTES, -1);
	told->op.rows = 1;
	told->op.size = comm ? t->trace.comms[comm].size : 0;
	return 0;
}

static int take_rows(struct telling *t, uint64_t member)
{
	struct rows rows;
	int error = rows_open(&rows, &t->trace, BATON_COLLECTIVE);
	while (!error && t->fits && rows_next(&rows))
		error = take_row(t, &rows, member);
	error = error ? error : rows.error;
	rows_close(&rows);
	return error;
}

static int by_launch(const void *a, const void *b)
{
	const struct foretold *x = a, *y = b;
	if (x->correlation != y->correlation)
		return x->correlation < y->correlation ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static int by_key(const void *a, const void *b)
{
	const struct foretold *x = a, *y = b;
	return memcmp(&x->op.key, &y->op.key, sizeof(x->op.key));
}

/* The rows of one launch are one collective, the first one's. Two of one key do not fit. */
static void join_rows(struct telling *t)
{
	size_t n = 0;
	sort_rows(t->at, t->n, sizeof(*t->at), by_launch);
	for (size_t i = 0; i < t->n; i++) {
		if (n && t->at[n - 1].correlation == t->at[i].correlation)
			t->at[n - 1].op.rows++;
		else
			t->at[n++] = t->at[i];
	}
	t->n = n;
	sort_rows(t->at, n, sizeof(*t->at), by_key);
	for (size_t i = 1; i < n; i++)
		t->fits &= by_key(&t->at[i - 1], &t->at[i]) != 0;
}

static int pass_on(const struct telling *t, struct collectives *all, struct foreseen *foreseen)
{
	int error = 0;
	foreseen->told = 0;
	for (size_t i = 0; !error && i < t->n; i++) {
		const struct coll_op *op = &t->at[i].op;
		foreseen->told = foreseen_add(foreseen->told, op);
		error = collectives_add_member(all, op->key.comm, op->member);
		if (!error)
			error = collectives_add(all, op, false);
	}
	return error;
}

int foreseen_tell(const struct device_context *context, uint32_t device, struct foreseen *foreseen,
				  bool *fits)
{
	const struct run *run = context->run;
	const uint32_t process = run->devices[device].processes[0];
	struct telling t = {.fits = true};
	*fits = false;
	int error = run_process_open(&run->processes[process], &t.trace, run->damage);
	if (error)
		return error;
	error = take_rows(&t, collective_member(process, device));
	if (!error && t.fits)
		join_rows(&t);
	if (!error && t.fits)
		error = pass_on(&t, context->collectives, foreseen);
	*fits = t.fits;
	free(t.at);
	trace_close(&t.trace);
	return error;
}
