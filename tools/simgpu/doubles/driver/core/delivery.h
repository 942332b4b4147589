/* What the engine has to tell others without its lock: records and synchronisations to the
 * observer, starts of external ops to whoever ends them. The engine's thread carries it out, in
 * order. */
#ifndef SIMGPU_DOUBLES_DRIVER_CORE_DELIVERY_H
#define SIMGPU_DOUBLES_DRIVER_CORE_DELIVERY_H

#include "doubles/external.h"

#include <stddef.h>

/* Launches wait while the observer is this far behind. */
#define DELIVERY_ROOM 65536

/* NULL: nobody watches. Needs no lock. */
const struct sim_observer *delivery_observer(void);

/* All with the engine's lock held. */
void delivery_record(const struct sim_record *record);
void delivery_sync(const struct sim_sync *sync);
void delivery_started(const struct sim_external *external, int64_t start_ns);
size_t delivery_behind(void);
/* The engine's thread: hands everything over; gives the lock up meanwhile. */
void delivery_run(void);
/* How many were queued so far; have the first n of them arrived? */
uint64_t delivery_queued(void);
bool delivery_arrived(uint64_t n);

#endif
