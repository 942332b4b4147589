#include "attribute/scan_run.h"

enum { PLAIN_FLAGS = OP_MATCHED | OP_FIRST_OF_CALL | OP_FIRST_KERNEL };

/* What stays as it is while a run is taken. */
struct fixed {
	struct op_columns c; /* of the block in hand */
	const struct feed *feed;
	const struct idmap *streams, *strings;
	const struct kept_calls *calls;
	uint32_t last;       /* the last row of the block */
	int64_t until;       /* a row that begins later may not come next */
	int64_t marked_from; /* a launch before it is not logged the short way */
	uint32_t thread;     /* as in the log */
};

/* An op of a run. */
struct found {
	int64_t start, end;
	uint32_t call, name, slot;
	uint8_t group;
};

static struct fixed fix(const struct scan_run *run)
{
	const struct plain_ops *plain = run->plain;
	struct feed *feed = plain->feed;
	struct fixed f = {.c = plain->columns,
					  .feed = feed,
					  .streams = &feed->trace.stream_ids,
					  .strings = &feed->trace.string_ids,
					  .calls = feed->kept,
					  .last = plain->last,
					  .until = plain->until,
					  .marked_from = run->s->log.windows.from_ns,
					  .thread = run->s->log.thread};
	if (feed->collectives_left && rows_value(&feed->collectives, COLL_START) < f.until)
		f.until = rows_value(&feed->collectives, COLL_START);
	return f;
}

/* Its launch, if that is a plain call and had no op before. */
static inline bool find_call(const struct fixed *f, uint32_t i, struct found *op)
{
	const uint64_t correlation = (uint64_t)f->c.correlation[i];
	const uint32_t *of = kept_calls_of(f->calls, correlation);
	const uint64_t seen = f->feed->colls_seen[correlation / 64 % COLLS_SEEN] >> correlation % 64;
	if (!of || !*of || *of == KEPT_NO_CALL || seen & 1)
		return false;
	op->call = *of - 1;
	const struct kept_call *call = &f->calls->at[op->call];
	const uint32_t mask = f->feed->names[call->name].call;
	return !f->calls->flags[op->call] && call->start <= op->start && mask &&
		   !(mask & HOST_MASK(HOST_BIT_GRAPH_LAUNCH));
}

/* Row `i`, if it is a kernel of the device that comes next and that is no collective. */
static inline bool find_op(const struct fixed *f, uint32_t i, struct found *op)
{
	const uint64_t stream = (uint64_t)f->c.stream[i], name = (uint64_t)f->c.name[i];
	const int64_t start = f->c.start[i], next = f->c.start[i + 1];
	if (next == start || next >= f->until || f->c.kind[i] != BATON_KERNEL ||
		stream >= f->streams->n_dense || name >= f->strings->n_dense)
		return false;
	op->start = start;
	op->end = start + f->c.dur[i];
	op->name = f->strings->dense[name];
	op->slot = f->feed->slots[f->streams->dense[stream]];
	const struct name_facts *facts = &f->feed->names[op->name];
	op->group = (uint8_t)facts->kernel.group;
	return op->slot && facts->classified && op->group != GROUP_NCCL && find_call(f, i, op);
}

/* Has it a place in the queue, and in the log, that needs no more than to be noted? */
static inline bool is_usual(const struct scan_run *run, const struct fixed *f,
							const struct found *op)
{
	const struct kept_ops *kept = run->s->kept;
	const struct launch_log *log = &run->s->log;
	const struct kept_call *call = &f->calls->at[op->call];
	const size_t near = QUEUE_DEPTH_FULL - 1;
	if (kept->n >= near && kept->at[kept->n - near].start > call->start)
		return false;
	return run->whole ||
		   (log->n_marks < log->marks_free &&
			call->start >= log->marks[log->n_marks - 1].launch_ns &&
			call->start >= f->marked_from && (!f->thread || f->thread == call->thread));
}

/* The idle time before it, after the op that ended at `from`. False: this is not a usual one. */
static inline bool note_idle(struct scanning *s, const struct kept_call *call,
							 const struct found *op, int64_t from, int *error)
{
	if (call->start >= from)
		return false;
	if (call->end > from)
		return true; /* not queued whatever the floor will be */
	if (from - call->start >= SURELY_QUEUED_NS) {
		*error = gap_lengths_add(&s->queued, op->start - from);
		return true;
	}
	if (!s->pairs_fit)
		return true;
	if (s->n_pairs == QUEUED_PAIRS)
		return false;
	s->pairs[2 * s->n_pairs] = from - call->start;
	s->pairs[2 * s->n_pairs++ + 1] = op->start - from;
	return true;
}

static inline void note(const struct scan_run *run, const struct kept_call *call,
						const struct found *op, int32_t step)
{
	struct scanning *s = run->s;
	struct launch_log *log = &s->log;
	int64_t *first_ns = &run->plain->feed->names[op->name].first_launch_ns;
	const int64_t lag_ns = op->start - call->start;
	*first_ns = call->start < *first_ns ? call->start : *first_ns;
	lag_floor_add(&s->lag_floor, lag_ns);
	if (lag_ns > 0 && lag_ns < s->smallest_lag)
		s->smallest_lag = lag_ns;
	if (run->whole) {
		scan_note_end(s->scan, step, op->end);
		own_kernels_add(&s->own, op->name, step);
		return;
	}
	log->graphs.all_ns = saturate_add(log->graphs.all_ns, op->end - op->start);
	log->marks[log->n_marks++] =
		(struct launch_mark){call->start, op->name, (uint32_t)log->launches++};
}

static inline void keep(struct kept_ops *kept, const struct found *op, int32_t step)
{
	kept->calls.flags[op->call] = KEPT_LAUNCHED;
	kept->at[kept->n++] = (struct kept_op){.start = op->start,
										   .end = op->end,
										   .call = op->call,
										   .name = op->name,
										   .step = step,
										   .slot = (uint16_t)(op->slot & (KEPT_SLOTS - 1)),
										   .group = op->group & 7,
										   .kind = BATON_KERNEL,
										   .flags = PLAIN_FLAGS};
}

int scan_run_take(const struct scan_run *run, int64_t *end)
{
	struct scanning *s = run->s;
	struct plain_ops *plain = run->plain;
	struct opstream *stream = plain->stream;
	if (s->scan->empty || !s->launched || plain->feed->calls_left || plain->error || plain->odd ||
		(!run->whole && !s->log.n_marks))
		return 0;
	const struct fixed f = fix(run);
	int64_t latest = *end;
	struct found op;
	int error = 0;
	uint32_t i = plain->at;
	for (; !error && i < f.last && s->kept->n < s->kept->room && find_op(&f, i, &op) &&
		   is_usual(run, &f, &op);
		 i++) {
		const struct kept_call *call = &f.calls->at[op.call];
		if (run->gaps && op.start > latest && !note_idle(s, call, &op, latest, &error))
			break;
		const int32_t step = stream->slot_step[op.slot] = step_of_launch(stream, call->start);
		note(run, call, &op, step);
		keep(s->kept, &op, step);
		latest = op.end > latest ? op.end : latest;
	}
	plain->at = i;
	*end = latest;
	return error;
}
