/* CUPTI's callbacks: the calls that a thread makes, recorded on that thread. This is the launch
 * path. */
#ifndef SHIM_CUPTI_CALLS_H
#define SHIM_CUPTI_CALLS_H

#include "base/guard.h"

#include <stdbool.h>
#include <stdint.h>

/* For cuptiSubscribe. */
void cupti_on_event(void *user, int domain, uint32_t id, const void *data);
/* 0, or the CUPTI error of a release that knows none of the calls. Not `on`: they are heard no
 * more.
 */
int cupti_calls_enable(void *subscriber, bool on);
/* The calls that open and end a range (window.h). */
void cupti_calls_enable_range(void *subscriber);
/* In a forked child: the names' ids are the parent's. */
void cupti_calls_forget(void);

#endif
