/* A libcuda.so.1 that does nothing by itself: a test tells it which calls are made and which ops
 * end, and it tells the observer. Built as that soname, for tests of one double alone. */
#ifndef TESTS_DOUBLE_FAKE_DRIVER_H
#define TESTS_DOUBLE_FAKE_DRIVER_H

#include "doubles/observe.h"

SIM_API void fake_set_ready(bool ready);
/* The observer never hears of some op that has ended: who waits for it waits in vain. */
SIM_API void fake_set_behind(bool behind);
/* A call with correlation 0 gets the next one. Returns it. */
SIM_API uint32_t fake_enter(struct sim_call *call);
SIM_API void fake_leave(struct sim_call *call, int result, uint32_t ops);
SIM_API void fake_op(const struct sim_record *record);
SIM_API void fake_sync(const struct sim_sync *sync);
SIM_API void fake_resource(enum sim_resource_kind kind, void *context, uint32_t id);
#define FAKE_CONTEXT ((void *)0x1000) /* id 7 on device 3 */

#endif
