/* The arithmetic of reductions, element by element over the ranks in rank order, so that every
 * rank gets the same bits. */
#ifndef SIMGPU_DOUBLES_NCCL_REDUCE_H
#define SIMGPU_DOUBLES_NCCL_REDUCE_H

#include <stdbool.h>
#include <stddef.h>

#include "doubles/nccl/nccl.h"

/* 0: no such type. */
size_t reduce_type_bytes(ncclDataType_t type);
/* The type's name in kernel names: "f32". */
const char *reduce_type_name(ncclDataType_t type);
/* fp8 is moved but not reduced. */
bool reduce_can(ncclDataType_t type);
/* out[i] = in[0][i] op in[1][i] op ... in[ranks-1][i]; 16-bit floats are rounded at the end. */
void reduce_ranks(ncclDataType_t type, ncclRedOp_t op, void *out, const void *const *in, int ranks,
				  size_t count);
/* out[i] = in[i] * *scalar; all of `type`. */
void reduce_scale(ncclDataType_t type, void *out, const void *in, const void *scalar, size_t count);

#endif
