/* Names of kernels as traces show them, the commonest first; none for tables of anything else.
 * kernel_names.c is written by tables.py. */
#ifndef SIMGPU_VIRTUAL_DRAW_KERNEL_NAMES_H
#define SIMGPU_VIRTUAL_DRAW_KERNEL_NAMES_H

#include "virtual/draw/tables.h"

#include <stddef.h>

struct kernel_names {
	const char *const *at;
	size_t n;
};

extern const struct kernel_names kernel_names[TABLE_COUNT];

#endif
