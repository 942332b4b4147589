/* Where a wrapped call goes on to: the function that the calling object would have been bound to
 * without this library. A process may hold several CUDA runtimes or NCCLs (two extensions with a
 * copy each, a library with one inside): each call has to reach its own. Known per calling object,
 * found once. */
#ifndef SHIM_CALLER_H
#define SHIM_CALLER_H

#include "base/guard.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CALLERS = 4 };

struct caller_target { /* static storage, zero */
	struct {
		_Atomic uintptr_t from; /* of the calling object's code; set last */
		uintptr_t bytes;
		void *real;
	} caller[CALLERS];
	_Atomic uint32_t used;
};

/* Among objects that called before; NULL: unknown. */
static inline void *caller_known(struct caller_target *target, const void *caller)
{
	for (int i = 0; i < CALLERS; i++) {
		uintptr_t from = atomic_load_explicit(&target->caller[i].from, memory_order_acquire);
		if (SHIM_LIKELY(from && (uintptr_t)caller - from < target->caller[i].bytes))
			return target->caller[i].real;
	}
	return NULL;
}

/* Looks it up: `name` (or its `twin`, preferred, may be NULL) in the caller's own scope. NULL:
 * nothing there. Takes the loader's lock; errno and dlerror() are left as they were found empty. */
void *caller_find(struct caller_target *target, const char *name, const char *twin,
				  const void *caller);
/* Has the calling object, or a library it needs, this symbol? The global scope is not asked. */
bool caller_sees(const void *caller, const char *name);

#endif
