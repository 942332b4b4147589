#include "attribute/scan_run.h"

#include "attribute/plain_run.h"

/* Has it a place in the queue, and in the log, that needs no more than to be noted? */
static inline bool is_usual(const struct scan_run *run, const struct run_op *op)
{
	const struct kept_ops *kept = run->s->kept;
	const struct launch_log *log = &run->s->log;
	const struct kept_call *call = op->call;
	const size_t near = QUEUE_DEPTH_FULL - 1;
	if (kept->n >= near && kept->at[kept->n - near].start > call->start)
		return false;
	return run->whole ||
		   (log->n_marks < log->marks_free &&
			call->start >= log->marks[log->n_marks - 1].launch_ns &&
			call->start >= log->windows.from_ns && (!log->thread || log->thread == call->thread));
}

/* The idle time before it, after the op that ended at `from`. False: this is not a usual one. */
static inline bool note_idle(struct scanning *s, const struct run_op *op, int64_t from, int *error)
{
	const struct kept_call *call = op->call;
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

static inline void note(const struct scan_run *run, const struct run_op *op, int32_t step)
{
	struct scanning *s = run->s;
	struct launch_log *log = &s->log;
	const int64_t launch_ns = op->call->start, lag_ns = op->start - launch_ns;
	int64_t *first_ns = &run->plain->feed->names[op->name].first_launch_ns;
	*first_ns = launch_ns < *first_ns ? launch_ns : *first_ns;
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
		(struct launch_mark){launch_ns, op->name, (uint32_t)log->launches++};
}

static inline void keep(struct kept_ops *kept, const struct run_op *op, int32_t step)
{
	kept->at[kept->n++] = (struct kept_op){.start = op->start,
										   .end = op->end,
										   .call = op->number,
										   .name = op->name,
										   .step = step,
										   .slot = (uint16_t)(op->slot & (KEPT_SLOTS - 1)),
										   .group = op->group & 7,
										   .kind = BATON_KERNEL,
										   .flags = RUN_FLAGS};
}

int scan_run_take(const struct scan_run *run, int64_t *end)
{
	struct scanning *s = run->s;
	if (s->scan->empty || !s->launched || (!run->whole && !s->log.n_marks))
		return 0;
	const struct plain_run plain = plain_run_open(run->plain);
	int64_t latest = *end;
	struct run_op op;
	int error = 0;
	uint32_t i = run->plain->at;
	for (; !error && i < plain.last && s->kept->n < s->kept->room && plain_run_op(&plain, i, &op) &&
		   is_usual(run, &op);
		 i++) {
		if (run->gaps && op.start > latest && !note_idle(s, &op, latest, &error))
			break;
		const int32_t step = plain_run_take(&plain, &op);
		note(run, &op, step);
		keep(s->kept, &op, step);
		latest = op.end > latest ? op.end : latest;
	}
	run->plain->at = i;
	*end = latest;
	return error;
}
