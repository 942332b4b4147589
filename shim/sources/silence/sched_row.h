/* Rows of what the scheduler says of threads, as slots in the sampler's lane; and the times of slots
 * in other lanes. */
#ifndef SHIM_SCHED_ROW_H
#define SHIM_SCHED_ROW_H

#include <stdbool.h>
#include <stdint.h>

struct baton_lane;
struct holder;

struct sched_row {
	uint64_t begin, end; /* ticks; an empty row is not written */
	uint64_t slept_ns, waited_ns;
	uint32_t thread;
	uint32_t stack;              /* where it stood; 0: unknown */
	const struct holder *holder; /* NULL: it did not wait for Python's lock */
};

void sched_row_put(const struct sched_row *row);

/* The times of slot `number` of a lane whose producer goes on meanwhile: believed only when it has
 * not been overwritten since. A collective has none. */
bool lane_slot_times(const struct baton_lane *lane, uint64_t number, uint64_t *begin,
					 uint64_t *end);

#endif
