/* The devices and streams of the trace: dictionary records made when an op or event shows them first. Writer
 * thread only. */
#ifndef SHIM_PLACES_H
#define SHIM_PLACES_H

#include <stdint.h>

/* The id of a stream record; the device's record comes before it. */
uint32_t places_stream(uint32_t device, uint32_t context, uint32_t stream);
/* The same of a stream that was not yet seen to run anything; 0 when its device is not known. For
 * baton_drain.stream_id. */
uint32_t places_stream_id(void *unused, uint32_t context, uint32_t stream);
/* The id of a device record, made where there is none yet; 0: a number that no device has. */
uint32_t places_device(uint32_t ordinal);
/* The id of a context's device, where the process has several: for baton_drain.device_id. */
uint32_t places_device_id(void *unused, uint32_t context);
void places_forget(void);

#endif
