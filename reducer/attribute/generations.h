/* Generations of a job that was restarted: processes of one rank that drove one device one after the
 * other (docs/ATTRIBUTION.md section 2). */
#ifndef ATTRIBUTE_GENERATIONS_H
#define ATTRIBUTE_GENERATIONS_H

#include "attribute/device.h"

struct generations {
	uint32_t *of_process; /* by process of the run, from 1 */
	uint32_t n;           /* 1: nothing was restarted */
	uint32_t answered;    /* the one whose steps count */
	uint64_t left_out;    /* steps of the others, each on its device with most */
	int64_t left_out_ns;  /* the time from the first call of those to the last */
};

/* Where the run is reduced only in part (options->only_time), of what is within that time. 0 or
 * -errno. Call generations_free() also after an error. */
int generations_find(const struct device_context *context, struct generations *generations);
void generations_free(struct generations *generations);

/* Is process `process` of the run of the generation that is answered? */
static inline bool generations_counts(const struct generations *g, uint32_t process)
{
	return !g || g->n < 2 || g->of_process[process] == g->answered;
}

#endif
