/* A cause that is asked about: whose it is, what its cure wins and what that takes off. */
#ifndef GRAPH_ASKED_H
#define GRAPH_ASKED_H

#include "graph/gain.h"

struct joint_cause { /* the other one of two that pay only together: joint.h */
	bool known;
	enum cause cause;
	struct scope scope;
	int64_t first_alone_ns, alone_ns; /* what each wins without the other */
};

struct culprit {
	enum cause cause;
	struct scope scope;
	struct gain gain;         /* per step; of a later one on top of those before it */
	int64_t limit_ns;         /* the lower limit of the gain over the steps */
	int64_t cost_ns;          /* time that its cure takes off, per step */
	int64_t alone_ns;         /* what it won before the last of those before it was cured */
	bool counted;             /* not asked: `cost_ns` is how much of it there is */
	struct joint_cause joint; /* `gain` is of both */
};

#endif
