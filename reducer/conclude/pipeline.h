/* A pipeline of stages (docs/ATTRIBUTION.md section 7, "Pipelines"): how many stages, micro-batches
 * and chunks of a stage, from what each device sends and receives; the bubble of its schedule, and
 * what a slow stage costs. Pure: a summary in, numbers out. */
#ifndef CONCLUDE_PIPELINE_H
#define CONCLUDE_PIPELINE_H

#include "conclude/figures.h"

struct pipeline {
	int64_t stages; /* 0: no pipeline, or one that cannot be known */
	int64_t micro_batches, chunks;
	int64_t bubble_ns; /* per step, the mean of the devices */
};

/* 0 or -ENOMEM */
int pipeline_find(const struct summary *summary, const struct figures *figures,
				  struct pipeline *pipeline);

/* What a device's own time costs the step beyond that of the median of the others; INT64_MAX where
 * the run has several pipelines. 0 or -ENOMEM. */
int pipeline_cost(const struct pipeline *pipeline, const struct summary *summary, size_t device,
				  int64_t *ns);

#endif
