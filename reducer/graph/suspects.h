/* Causes that were asked, with what their cure wins: of these culprits are chosen. */
#ifndef GRAPH_SUSPECTS_H
#define GRAPH_SUSPECTS_H

#include "graph/gain.h"

enum { TOGETHER_MOST = 8 }; /* units that are found as one */

struct joint_cause { /* the other one of two that pay only together: joint.h */
	bool known;
	enum cause cause;
	struct scope scope;
	int64_t first_alone_ns, alone_ns; /* what each wins without the other */
};

struct culprit {
	enum cause cause;
	struct scope scope;
	struct gain gain;   /* per step; of a later one on top of those before it; of units that are
						 found together its part of what they win */
	int64_t limit_ns;   /* the lower limit of the gain over the steps */
	int64_t cost_ns;    /* time that its cure takes off, per step */
	int64_t alone_ns;   /* what it won before the last of those before it was cured */
	int64_t usual_ns;   /* what such a cure wins where nothing is wrong: `gain` is without that */
	int64_t unaided_ns; /* of a chosen one what its finding wins when nothing else is cured */
	uint32_t group;     /* 0, or of those that are found together */
	bool counted;       /* not asked: `cost_ns` is how much of it there is */
	struct joint_cause joint; /* `gain` is of both */
};

struct suspects { /* causes that were asked, of which culprits are chosen */
	struct culprit *at;
	size_t n, room;
	int64_t least_ns; /* the least gain */
};

/* 0: of one device, 1: of a host, 2: of all. */
int culprit_width(const struct culprit *culprit);
/* For sort_rows(): the largest cost first, of equal ones by cause and unit. */
int culprit_by_cost(const void *a, const void *b);
bool culprit_is_same(const struct culprit *x, const struct culprit *y);
/* 0 or -ENOMEM; free(suspects->at). */
int suspects_keep(struct suspects *suspects, const struct culprit *culprit);
/* The largest gain first, of equal ones the largest cost. */
void suspects_sort(struct suspects *suspects);

/* Every unit with how much longer than the others it takes, most first, of equal ones by unit; in new
 * memory. NULL: out of memory. */
struct culprit *suspects_by_excess(const struct causes *causes, enum cause cause);

#endif
