/* What a pass keeps while the steps of a device are not known yet: the kernel launches in order,
 * from which steps/period.h finds the steps (those of a window, steps/step_windows.h), and enough
 * about every op to put it into its step afterwards without another pass. */
#ifndef ATTRIBUTE_LAUNCH_LOG_H
#define ATTRIBUTE_LAUNCH_LOG_H

#include "attribute/opstream.h"
#include "base/saturate.h"
#include "steps/graph_steps.h"
#include "steps/step_windows.h"

enum { LAUNCH_LOG_OPS = 1 << 18 };
_Static_assert(LAUNCH_LOG_OPS <= 2 * STEP_WINDOW, "a log with marks of windows has not all ops");

struct logged_op {
	int64_t ls, end; /* INT64_MAX: no launch record */
	uint32_t slot;   /* number of its stream */
};

struct launch_log {
	uint32_t feed;             /* the process whose launches decide the steps */
	uint32_t thread;           /* of that process; 0: all threads */
	size_t expected;           /* ops, as far as one can tell before */
	struct launch_mark *marks; /* that process's kernel launches on the device */
	size_t n_marks, marks_room;
	size_t marks_free; /* more can be added so far without a look at the windows */
	uint64_t launches; /* all of them, also those that are forgotten */
	/* without `windows.periods` all marks are kept */
	struct step_windows windows;
	struct graph_launches graphs; /* and that process's launches of whole graphs */
	struct input_copies inputs;   /* and of copies to the device */
	uint64_t moves;               /* marks moved so far to keep them in order */
	bool sorted;
	struct logged_op *ops; /* all ops in op order, LAUNCH_LOG_OPS at most */
	size_t n_ops, ops_room;
	bool whole;     /* `ops` has every op */
	bool elsewhere; /* `ops` has none: kept_ops.h has them */
};

struct logged_steps {
	int64_t *begins; /* n + 1 instants: the last step's end is the last; the caller frees it */
	size_t n;
	uint32_t graph; /* whose launches they are; UINT32_MAX: they are told by kernels */
};

/* The parts of launch_log_add(): makes room for another op, or forgets the ops when they are too
 * many; adds the launch of an op. 0, -ENOMEM, or -EAGAIN: all marks have to be kept. */
int launch_log_room(struct launch_log *log);
int launch_log_launch(struct launch_log *log, const struct op *op);

/* Nearly all launches are of kernels and follow one another. */
static inline bool launch_log_follows(const struct launch_log *log, const struct op *op)
{
	const size_t n = log->n_marks;
	return op->kind == BATON_KERNEL && n && n < log->marks_free &&
		   op->ls >= log->marks[n - 1].launch_ns && op->ls >= log->windows.from_ns;
}

/* Adds an op, in op order. 0 or an error as above. */
__attribute__((always_inline)) static inline int launch_log_add(struct launch_log *log,
																const struct op *op)
{
	const bool matched = op->flags & OP_MATCHED;
	int error = 0;
	if (log->whole && !log->elsewhere &&
		(log->n_ops == log->ops_room || log->n_ops == LAUNCH_LOG_OPS))
		error = launch_log_room(log);
	if (!error && log->whole && !log->elsewhere)
		log->ops[log->n_ops++] =
			(struct logged_op){matched ? op->ls : INT64_MAX, op->end, op->slot};
	if (error || op->feed != log->feed || !matched || (log->thread && op->thread != log->thread))
		return error;
	if (!launch_log_follows(log, op))
		return launch_log_launch(log, op);
	log->graphs.all_ns = saturate_add(log->graphs.all_ns, op->end - op->start);
	log->marks[log->n_marks++] = (struct launch_mark){op->ls, op->name, (uint32_t)log->launches++};
	return 0;
}
/* Sorts marks and copies by launch time; equal marks stay in op order. */
void launch_log_sort(struct launch_log *log);
/* The steps of all that was added; `periods` is asked for them. 0 or an error as above. */
int launch_log_steps(struct launch_log *log, struct period_memo *periods, struct logged_steps *out);
void launch_log_free_marks(struct launch_log *log);
void launch_log_free(struct launch_log *log);

#endif
