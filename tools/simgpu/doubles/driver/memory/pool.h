/* The memory pool of a device: what stream-ordered allocations took, and attributes that are kept
 * and mean nothing. */
#ifndef SIMGPU_DOUBLES_DRIVER_MEMORY_POOL_H
#define SIMGPU_DOUBLES_DRIVER_MEMORY_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct pool;

struct pool *pool_of(int device); /* NULL: no such device */
bool pool_valid(const struct pool *pool);
int pool_get(struct pool *pool, int attribute, void *value);
int pool_set(struct pool *pool, int attribute, const void *value);
void pool_took(int device, size_t bytes);
/* No more than was taken: the block may come from elsewhere. */
void pool_gave(int device, size_t bytes);

#endif
