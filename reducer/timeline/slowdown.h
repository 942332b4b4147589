/* How much stragglers slow a job, and which operations and workers do (docs/STRAGGLERS.md). */
#ifndef TIMELINE_SLOWDOWN_H
#define TIMELINE_SLOWDOWN_H

#include "timeline/op_replay.h"

enum { WORKERS_PERCENT = 3 }; /* the slowest ones that M_W is about */

struct slowdown_step {
	int64_t step;
	int64_t measured_ns, base_ns;
};

struct slowdown_part { /* the ideal step in which this alone keeps its own lengths */
	uint32_t index;    /* of the group's first kind, the stage, or the data-parallel rank */
	double slowdown;
};

struct slowdown_worker {
	uint32_t stage, dp; /* dp: index */
	int32_t rank;
	double slowdown;
};

struct slowdown {
	double measured_ns; /* a step as recorded, mean */
	double base_ns;     /* T: replayed with all own lengths, mean */
	double ideal_ns;    /* T_ideal */
	struct slowdown_step *steps;
	uint32_t n_steps;
	struct slowdown_part *groups, *stages, *dp_ranks; /* the slowest first */
	uint32_t n_groups, n_stages, n_dp_ranks;
	struct slowdown_worker *workers; /* the slowest first */
	uint32_t n_workers;
	uint32_t n_slowest;        /* so many workers are in M_W */
	double without_workers_ns; /* these have ideal lengths, all others their own */
	double without_last_stage_ns;
};

/* 0 or -ENOMEM. */
int slowdown_find(struct op_replay *replay, struct slowdown *slowdown);
void slowdown_free(struct slowdown *slowdown);

static inline double slowdown_total(const struct slowdown *s) /* S */
{
	return s->base_ns / s->ideal_ns;
}

/* M_W and M_S: the part of the loss that is gone then; NaN without a loss, or where it is all. */
double slowdown_of_workers(const struct slowdown *slowdown);
double slowdown_of_last_stage(const struct slowdown *slowdown);

#endif
