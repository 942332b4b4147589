/* How sure a gain is: the interval that it lies in (docs/GRAPH.md, "Gains"). */
#ifndef GRAPH_GAIN_H
#define GRAPH_GAIN_H

#include "graph/causes.h"

struct gain {
	int64_t ns, low_ns, high_ns; /* per step */
};

/* The mean of what each step wins, from ends before_ns[n] to after_ns[n], the first of which only
 * begins the second step; and between what it may lie had other steps been recorded. 0 or -ENOMEM.
 */
int gain_of_steps(const int64_t *before_ns, const int64_t *after_ns, uint32_t n, struct gain *out);

/* Replays these weights: what they win on top of what gains are counted from. Further gains are
 * counted from them then, until causes_measure(). 0 or -ENOMEM. */
int gain_take(struct causes *causes, const int64_t *weights_ns, struct gain *out);

/* How far the gain of what was replayed last may be below its mean: two standard errors over the
 * steps. 0 where they are too few to tell a loss of every third step from noise. */
int64_t gain_below_ns(const struct causes *causes);

struct peers { /* what the same cure wins on units or hosts that have no such loss */
	int64_t low_ns, middle_ns, high_ns;
	bool known;
};

/* Takes the causes (a bit each) off others like the scope, each alone, from weights whose step is
 * causes->step_ns. Unknown where there are fewer than three. 0 or -ENOMEM. */
int gain_peers(struct causes *causes, uint32_t which, const struct scope *scope,
			   const int64_t *from_ns, struct peers *out);
/* A cure that wins `middle` where nothing is wrong wins so much less, give or take the others. */
void gain_subtract_peers(struct gain *gain, const struct peers *peers);
/* What nothing explains may be the cause's, or may remain; and no replay is closer than a
 * 250th of the step. The lower end does not fall below 0. */
void gain_widen(struct gain *gain, int64_t step_ns, int64_t unexplained_ns);

#endif
