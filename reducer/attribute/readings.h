/* What a device showed within its window, from the file of gauges that has it. Takes no part in
 * any time. */
#ifndef ATTRIBUTE_READINGS_H
#define ATTRIBUTE_READINGS_H

#include "read/run.h"
#include "summarise/reading.h"

/* Of looks that began in [from, to). 0 or -ENOMEM; a file that cannot be read any more has shown
 * nothing. */
int readings_take(const struct run *run, const struct run_device *device, int64_t from, int64_t to,
				  struct reading readings[READINGS]);

#endif
