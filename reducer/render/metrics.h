/* What a run shows as metrics in Prometheus' text format: a summary in, lines out. The names are a
 * promise to dashboards (docs/METRICS.md). */
#ifndef RENDER_METRICS_H
#define RENDER_METRICS_H

#include "conclude/figures.h"
#include "conclude/stragglers.h"

#include <stdio.h>

struct metrics {
	const char *run;               /* the label of all of them */
	const struct summary *summary; /* NULL: the run cannot be reduced now */
	const struct figures *figures; /* of it */
	const struct stragglers *stragglers;
	/* since 1970 but `took_s`; of the last write to a trace and the newest op in one; 0: not known */
	double reduced_s, took_s, modified_s, worked_s;
};

void metrics_print(const struct metrics *metrics, FILE *out);

#endif
