/* CUPTI's callbacks in a recording that has a window (window.h), and which GPU work belongs to it:
 * that of the recorded calls, and no other. */
#ifndef SHIM_WINDOW_CALLS_H
#define SHIM_WINDOW_CALLS_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_record;

/* For cuptiSubscribe: as cupti_on_event, for calls that begin in the window. */
void window_on_event(void *user, int domain, uint32_t id, const void *data);
/* Was the call recorded that this record is of? Of a record without one: does it lie in the window?
 */
bool window_takes(const struct gpu_record *record);

/* Recorded calls that have not returned. */
unsigned window_calls_inside(void);
/* In a forked child. */
void window_calls_forget(void);

#endif
