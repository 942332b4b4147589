/* The critical path of a replay, and how much later collectives could end (docs/GRAPH.md, "The
 * critical path"). */
#ifndef GRAPH_CRITICAL_H
#define GRAPH_CRITICAL_H

#include "graph/causes.h"

/* What the path consists of: kernels by class, then these. */
enum critical_part {
	CRITICAL_CLASS,                       /* + enum class_id */
	CRITICAL_GROUP = CRITICAL_CLASS + 64, /* + enum group: classes that have only a group */
	CRITICAL_TRANSFER = CRITICAL_GROUP + 8,
	CRITICAL_NCCL, /* kernels of collectives whose members did not meet */
	CRITICAL_COPY,
	CRITICAL_OTHER_OP,
	CRITICAL_LAUNCH,   /* from a launch call's begin to the op */
	CRITICAL_SHARED,   /* what another process that uses the GPU adds to that */
	CRITICAL_DISPATCH, /* from one op to the next */
	CRITICAL_WAKE,     /* from an op's end to the end of a call that waited for it */
	CRITICAL_UNEXPLAINED,
	CRITICAL_LABEL, /* + enum label: the host; LABEL_NONE: see below */
	CRITICAL_CODE = CRITICAL_LABEL + LABELS,
	CRITICAL_FRAMEWORK,
	CRITICAL_API,
	CRITICAL_PARTS
};

/* "custom.attention", "idle.host.input": a leaf where there is one. */
const char *critical_name(int part, char text[32]);

struct critical_step {
	int64_t ns; /* from the end of the step before on its last device to that of this one */
	int64_t part_ns[CRITICAL_PARTS]; /* adds up to ns */
};

struct critical {
	struct critical_step *steps; /* n_steps of the model less one */
	int64_t *unit_ns;            /* by unit, of all steps; the last one: nobody's alone */
	int64_t *meeting_slack_ns;   /* by transfer: how much later its meeting could be */
	uint32_t n_steps, n_units;
};

/* 0 or -ENOMEM; critical_close() either way. */
int critical_open(struct critical *critical, struct causes *causes);
void critical_close(struct critical *critical);

#endif
