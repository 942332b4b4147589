/* How fast the kernels and the host of a run are: medians that another run can be given
 * (docs/GRAPH.md, "Asking for changes"). */
#ifndef GRAPH_SPEEDS_H
#define GRAPH_SPEEDS_H

#include "graph/causes.h"

enum { SPEEDS_CALL = 256, SPEEDS_OUTSIDE, SPEEDS };

struct
	speeds { /* medians, ns; 0: there are none: kernels by position.class, then the program's own */
	int64_t ns[SPEEDS];
};

/* 0 or -ENOMEM. */
int speeds_of(const struct model *model, struct speeds *out);
/* Kernels and host time take as many times as long as `like` does of `own`, class by class. */
void speeds_take(const struct causes *causes, const struct speeds *own, const struct speeds *like,
				 int64_t *weights_ns);

#endif
