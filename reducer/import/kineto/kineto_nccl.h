/* Collectives as PyTorch's profiler spells them. */
#ifndef IMPORT_KINETO_NCCL_H
#define IMPORT_KINETO_NCCL_H

#include <baton/format.h>

/* "_allgather_base", "all_reduce", "nccl:reduce_scatter_tensor", ...; BATON_COLL_UNKNOWN for
 * others. */
enum baton_coll kineto_coll(const char *name, size_t bytes);

/* Bytes of one element of "Float", "BFloat16", ...; 0 unknown. */
uint32_t kineto_dtype_bytes(const char *name, size_t bytes);

#endif
