/* Kineto's times: microseconds as decimal text. */
#ifndef IMPORT_KINETO_TIME_H
#define IMPORT_KINETO_TIME_H

#include <stddef.h>
#include <stdint.h>

/* *ns: "4458676522690.655", "68.0" or "1.5e3" in nanoseconds, exactly; digits beyond the nanosecond
 * are rounded, half away from zero. 0; -EINVAL: not a decimal number; -ERANGE: beyond int64_t. */
int kineto_time_ns(const char *at, size_t bytes, int64_t *ns);

#endif
