/* Losses step by step, and how small their mean may be if other steps had been drawn
 * (docs/ATTRIBUTION.md section 7). Pure: a summary in, numbers out. */
#ifndef CONCLUDE_BY_STEP_H
#define CONCLUDE_BY_STEP_H

#include "summary/summary.h"

struct by_step { /* the steps of a run in order, or neighbours of them together */
	int64_t *ns; /* per step, the sum over the devices */
	size_t n;
};

/* Some leaves of one device (a key) or, with 0, of all. n is 0 where the summary has no such time
 * by step. 0 or -ENOMEM; by_step_close() either way. */
int by_step_open(struct by_step *steps, const struct summary *summary, uint64_t leaves,
				 uint32_t device);
/* What the others waited for a device (its key) or for the ranks of a host, not more than that. */
int by_step_open_caused(struct by_step *steps, const struct summary *summary, const char *who,
						size_t chars);
void by_step_close(struct by_step *steps);
/* Adds to each cell what `from` has there, in proportion, so that the mean grows by mean_ns. Nothing
 * where `from` is 0. 0 or -ENOMEM. */
int by_step_mix(struct by_step *into, const struct by_step *from, __int128 mean_ns);

enum { BY_STEP_DRAWS = 999 };

/* What the sums of the cells might have been: sums[BY_STEP_DRAWS], each of n cells drawn in blocks
 * of neighbours, from random numbers that begin with `state`. 0 or -ENOMEM. */
int by_step_draw(const struct by_step *steps, uint64_t state, __int128 *sums);

/* The sum of the cells, and the lower limit of that sum. */
__int128 by_step_sum(const struct by_step *steps);
__int128 by_step_limit(const struct by_step *steps);

/* The lower limit of a loss: share_ns in proportion; share_ns itself where nothing is known by
 * step. 0 or -ENOMEM. */
int by_step_limit_of(const struct summary *summary, uint64_t leaves, uint32_t device,
					 int64_t share_ns, int64_t *limit_ns);

/* Numbers that look random and are always the same: the next one from *state. */
static inline uint64_t by_step_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */
	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

#endif
