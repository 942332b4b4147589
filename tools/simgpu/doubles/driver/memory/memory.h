/* Device memory: one window of reserved addresses per device, so that an address says whose it is;
 * pages exist once touched. Pinned host memory: a list. Its own lock. */
#ifndef SIMGPU_DOUBLES_DRIVER_MEMORY_MEMORY_H
#define SIMGPU_DOUBLES_DRIVER_MEMORY_MEMORY_H

#include "doubles/doubles.h"

int memory_allocate(int device, size_t bytes, bool managed, void **address);
/* The device the block was on, -1: no block begins there. */
int memory_free(void *address);
void memory_reset(int device);
void memory_info(int device, size_t *free_bytes, size_t *total_bytes);
/* The block around the address: false none. */
bool memory_range(const void *address, void **start, size_t *bytes);

int memory_host_allocate(size_t bytes, void **address);
int memory_host_free(void *address);
int memory_host_register(void *address, size_t bytes);
int memory_host_unregister(void *address);

/* The device whose memory it is, -1 host memory. */
int memory_device(const void *address);
bool memory_pinned(const void *address);
/* Zeroes; big pieces of device memory are given back to the system instead of written. */
void memory_zero(void *target, size_t bytes);

#endif
