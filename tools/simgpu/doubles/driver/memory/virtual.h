/* Virtual memory management: addresses reserved apart from the memory behind them. A piece of
 * memory is a number of bytes taken from its device; the pages are those of the addresses it is
 * mapped at, so what it held is gone when it is unmapped. Addresses that nothing is mapped at
 * fault. */
#ifndef SIMGPU_DOUBLES_DRIVER_MEMORY_VIRTUAL_H
#define SIMGPU_DOUBLES_DRIVER_MEMORY_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VIRTUAL_GRAIN ((size_t)2 << 20)

struct physical; /* a CUmemGenericAllocationHandle is a pointer to it */

/* All return 0 or the CUresult. */
int virtual_reserve(size_t bytes, size_t alignment, void **address);
int virtual_unreserve(void *address, size_t bytes);
int virtual_create(int device, size_t bytes, struct physical **physical);
int virtual_release(struct physical *physical);
int virtual_map(void *address, size_t bytes, struct physical *physical);
int virtual_unmap(void *address, size_t bytes);
/* Gives another handle on what is mapped there; release it. */
int virtual_retain(const void *address, struct physical **physical);
/* The device a piece is of, -1: not a piece. */
int virtual_home(const struct physical *physical);

/* The device of what is mapped, or was last, in the reservation around the address. -1 none. */
int virtual_device(const void *address);
/* The mapping around the address: false none. */
bool virtual_range(const void *address, void **start, size_t *bytes);

#endif
