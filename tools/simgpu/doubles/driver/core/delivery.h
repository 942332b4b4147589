/* What has to be delivered without the engine's lock: records and synchronisations to the observer,
 * starts of external ops to the double that ends them. The engine's thread delivers in order. */
#ifndef SIMGPU_DOUBLES_DRIVER_CORE_DELIVERY_H
#define SIMGPU_DOUBLES_DRIVER_CORE_DELIVERY_H

#include "doubles/external.h"

#include <stddef.h>

/* Launches wait while the observer is this far behind. */
#define DELIVERY_ROOM 65536

/* NULL: there is none. Needs no lock. */
const struct sim_observer *delivery_observer(void);

/* All with the engine's lock held. */
void delivery_record(const struct sim_record *record);
void delivery_sync(const struct sim_sync *sync);
void delivery_started(const struct sim_external *external, int64_t start_ns);
size_t delivery_behind(void);
/* The engine's thread: delivers everything, without the lock in the meantime. */
void delivery_run(void);
/* How many were queued so far; have the first n of them arrived? */
uint64_t delivery_queued(void);
bool delivery_arrived(uint64_t n);

#endif
