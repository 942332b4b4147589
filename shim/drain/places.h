/* The devices and streams of the trace: dictionary records made when an op shows them first. Writer
 * thread only. */
#ifndef SHIM_PLACES_H
#define SHIM_PLACES_H

#include <stdint.h>

/* The id of a stream record; the device's record comes before it. */
uint32_t places_stream(uint32_t device, uint32_t context, uint32_t stream);
void places_forget(void);

#endif
