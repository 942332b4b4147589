/* Host functions of streams (cuLaunchHostFunc): a function of ours runs the program's between two
 * readings of the clock. sources/launch puts it into the call, sources/cupti says of which stream
 * and call it is before the driver has it; the row is written by the thread of the driver that runs
 * it. Where no place is free the program's function goes as it is, without a row. */
#ifndef SHIM_HOSTED_H
#define SHIM_HOSTED_H

#include "base/guard.h"

#include <stdbool.h>
#include <stdint.h>

struct hosted;

/* A place for one run of `function`; NULL: none is free, or this process does not record now. */
struct hosted *hosted_take(void (*function)(void *), void *data);
/* What the driver is to call with the place. */
void hosted_run(void *hosted);

/* On the thread that makes the call, before the driver has the function: CUPTI's numbers of its stream
 * (BATON_NO_STREAM) and context, and its correlation. Not of ours: nothing happens. */
void hosted_is_of(void (*function)(void *), void *data, uint32_t stream, uint32_t context,
				  uint32_t correlation);

#endif
