/* A host among others: what it waits for, and what others have told it. */
#ifndef SIMGPU_VIRTUAL_MACHINE_PLACE_H
#define SIMGPU_VIRTUAL_MACHINE_PLACE_H

#include "virtual/machine/state.h"

/* For an op that meets others: it may end at at_ns at the earliest, the place must not go further
 * ... */
void place_expect(struct place *place, struct gpu_op *op, int64_t at_ns);
/* ... until it is told when. From any thread. */
void place_tell(struct place *place, struct gpu_op *op, int64_t at_ns);

/* How far the place may go while others may still have something to say. */
int64_t place_horizon(const struct place *place);

/* Under the world's lock, and only where nobody runs the place: what was told becomes events. */
void place_read_inbox(struct place *place);
/* Under the world's lock: the place may run again. */
void place_queue(struct place *place);

#endif
