/* What calls allocate: how much, and what kind of memory. On the job's threads. */
#ifndef SHIM_CUPTI_ALLOCATIONS_H
#define SHIM_CUPTI_ALLOCATIONS_H

#include "ring/lane.h"
#include "sources/cupti/cupti_layout.h"

/* The kind of memory (enum baton_memory) that a call allocates or pins, where its second parameter
 * says how many bytes; else 0. */
uint8_t cupti_allocations_of(int domain, uint32_t id);
/* At the exit of such a call, before its own slot: a slot with the bytes. None if it failed. */
void cupti_allocations_put(struct baton_lane *lane, uint8_t memory, const struct cupti_call *call);

#endif
