/* The NCCL that is loaded: its functions, found when they are called first. */
#ifndef SHIM_NCCL_LIBRARY_H
#define SHIM_NCCL_LIBRARY_H

#include "base/caller.h"

#include <stdatomic.h>

/* NCCL's own numbers. */
enum { NCCL_SUCCESS = 0, NCCL_INTERNAL_ERROR = 3, NCCL_IN_PROGRESS = 7 };

/* The library's own function: pncclX, which is what ncclX is an alias of. NULL: not in this NCCL; a
 * line on stderr says so once, as the dynamic linker would have. */
void *nccl_real(struct caller_target *target, _Atomic(void *) *real, const char *name,
				const void *caller);
void nccl_find(_Atomic(void *) *real, const char *name);
/* ncclCommCount, without a trace of it. 0: it does not say. */
int nccl_ask_size(void *comm);

#endif
