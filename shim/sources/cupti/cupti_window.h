/* CUPTI's callbacks in a recording that has a window (window.h), and which GPU work belongs to it:
 * that of the recorded calls, and no other. */
#ifndef SHIM_CUPTI_WINDOW_H
#define SHIM_CUPTI_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_record;

/* For cuptiSubscribe: as cupti_on_event, for calls that begin in the window. */
void cupti_window_on_event(void *user, int domain, uint32_t id, const void *data);
/* Was the call recorded that this record is of? Of a record without one: does it lie in the window?
 */
bool cupti_window_takes(const struct gpu_record *record);

/* Recorded calls that have not returned. */
unsigned cupti_window_inside(void);
/* In a forked child. */
void cupti_window_forget(void);

#endif
