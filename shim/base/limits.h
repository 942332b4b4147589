/* What the limits of a process leave: counted whole before the recorder takes anything, so that the
 * job never meets a limit because of it. */
#ifndef SHIM_LIMITS_H
#define SHIM_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

struct memory_size;

/* The limit under which a recording of this size, with `shared` bytes of live file, would take more
 * than its part (docs/RECORD.md): in words for a message, or NULL: none. `cupti_comes`: CUPTI has
 * not begun in this process, so what it takes counts too. */
const char *limits_too_low(const struct memory_size *size, uint64_t shared, bool cupti_comes);

/* Bytes that the memory limits of this process's control group and of those above it leave: the
 * least of them, UINT64_MAX where there is none. Pages of files that the kernel can drop count as
 * free. `self` is what /proc/self/cgroup holds, `mount` where groups are mounted. */
uint64_t limits_group_left(const char *mount, const char *self);

#endif
