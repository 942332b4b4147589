/* The engine's own account of idle time: for every moment at which a device had nothing to run, the
 * cause that held up its next op. It is made from the events that were executed, and knows nothing
 * of how the reducer explains the same trace. */
#ifndef SIMGPU_VIRTUAL_ACCOUNT_ACCOUNT_H
#define SIMGPU_VIRTUAL_ACCOUNT_ACCOUNT_H

#include "virtual/account/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gpu_op;

struct idle {
	int64_t from_ns, to_ns;
	uint32_t cause;
};

struct account_span {
	int64_t from_ns, to_ns;
};

struct account_meeting {               /* a collective, or sends and receives of one kernel */
	int64_t start_ns, last_ns, end_ns; /* here; when the last member came; the end here */
	uint32_t last;                     /* the device that came last */
};

struct account { /* of a device */
	struct idle *idle;
	size_t n;
	uint32_t room;
	bool counts;                  /* the four below are kept */
	int32_t n_work, n_nccl;       /* ops that run */
	struct account_span *exposed; /* only collectives ran */
	size_t n_exposed;
	struct account_meeting *meetings; /* by their ends */
	size_t n_meetings;
	uint32_t exposed_room, meetings_room;
	int64_t exposed_from_ns; /* 0: something else runs, or nothing */
	int64_t longest_ns;      /* of the meetings */
	int64_t *step_end_ns;    /* of the last op launched in the step; [0]: before the first */
	int64_t *step_begin_ns;  /* of the first launch of the step; [0] unused */
	int32_t n_steps;
	int64_t first_ns, last_ns; /* hull */
};

/* The device of `op` had nothing to run in [from, op->start). */
void account_idle(struct account *account, const struct gpu_op *op, int64_t from_ns);
/* An op of the device has started. */
void account_start(struct account *account, const struct gpu_op *op);
/* An op of the device has ended. */
void account_op(struct account *account, const struct gpu_op *op);

#endif
