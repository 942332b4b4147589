/* Names of collectives and data types in PyTorch's profiler. */
#ifndef IMPORT_KINETO_NCCL_H
#define IMPORT_KINETO_NCCL_H

#include <baton/format.h>

/* The collective that a name stands for: "_allgather_base", "all_reduce",
 * "nccl:reduce_scatter_tensor", ...; BATON_COLL_UNKNOWN for other names. */
enum baton_coll kineto_coll(const char *name, size_t bytes);

/* The bytes of one element of "Float", "BFloat16", ...; 0: unknown. */
uint32_t kineto_dtype_bytes(const char *name, size_t bytes);

#endif
