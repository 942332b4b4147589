/* Calls whose ops are still to end, by correlation id: which lane gets their records, and where a
 * record already waits for its times. */
#ifndef SIMGPU_DOUBLES_CUPTI_FLIGHTS_H
#define SIMGPU_DOUBLES_CUPTI_FLIGHTS_H

#include "doubles/cupti/buffers.h"
#include "doubles/observe.h"

/* The call begins, on this lane. */
void flights_begin(uint32_t correlation, struct lane *lane, int64_t begin_ns);
/* It returned and put `ops` ops on devices. When it is one, `entry` (NULL: not recorded) takes its
 * place in the buffer now and waits. */
void flights_return(uint32_t correlation, uint32_t ops, struct entry *entry);
/* An op ended. */
void flights_op(const struct sim_record *record);
/* The lane of a call, else the calling thread's. */
struct lane *flights_lane(uint32_t correlation);

#endif
