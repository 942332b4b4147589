/* Another user of CUPTI in the process: torch.profiler. CUPTI has one set of buffers and one clock,
 * so while the recording is attached the guest's calls end here: it gets copies of our buffers, in
 * its own clock, and what it switches off stays on for us. Found by the dynamic linker: libtorch
 * calls CUPTI through its PLT. */
#ifndef SHIM_CUPTI_GUEST_H
#define SHIM_CUPTI_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A buffer that CUPTI has filled, before we take it. Any thread. */
void cupti_guest_deliver(void *context, uint32_t stream, const uint8_t *bytes, size_t valid);
/* In a forked child. */
void cupti_guest_forget(void);
/* Has it enabled this kind of activity? */
bool cupti_guest_wants(int kind);
/* Anything: what is forced out of CUPTI comes unfinished to it too. */
bool cupti_guest_records(void);

#endif
