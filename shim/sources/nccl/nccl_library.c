#include "sources/nccl/nccl_library.h"

#include "base/guard.h"
#include "base/message.h"
#include "base/symbols.h"

#include <string.h>

#define NAME_BYTES 64u

/* A program that needs a function which its NCCL lacks would not have started without us. */
static void say_missing(const char *name)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	char line[160] = "baton: the loaded NCCL has no ";
	if (atomic_flag_test_and_set(&said))
		return;
	strncat(line, name, NAME_BYTES);
	strcat(line, "; the call returns ncclInternalError\n");
	message_write(line, strlen(line));
}

void nccl_find(_Atomic(void *) *real, const char *name)
{
	char own[NAME_BYTES] = "p";
	void *nobody = NULL;
	strncat(own, name, sizeof(own) - 2);
	void *found = symbols_in("libnccl.so.2", own);
	if (!found)
		found = symbols_next(name);
	if (found)
		atomic_compare_exchange_strong(real, &nobody, found);
}

void *nccl_real(struct caller_target *target, _Atomic(void *) *real, const char *name,
				const void *caller)
{
	char own[NAME_BYTES] = "p";
	void *known = caller_known(target, caller);
	if (SHIM_LIKELY(known != NULL))
		return known;
	int saved_errno = errno;
	strncat(own, name, sizeof(own) - 2);
	known = caller_find(target, name, own, caller);
	if (!known) { /* who got it from dlsym calls from anywhere: what dlsym gave */
		known = atomic_load_explicit(real, memory_order_acquire);
		if (!known)
			nccl_find(real, name);
		known = atomic_load_explicit(real, memory_order_acquire);
	}
	if (!known)
		say_missing(name);
	errno = saved_errno;
	return known;
}

int nccl_ask_size(void *comm)
{
	static _Atomic(void *) real;
	int size = 0;
	if (!atomic_load_explicit(&real, memory_order_acquire))
		nccl_find(&real, "ncclCommCount");
	int (*count)(const void *, int *) =
		(int (*)(const void *, int *))atomic_load_explicit(&real, memory_order_acquire);
	bool outermost = guard_raise(GUARD_NCCL);
	if (!count || count(comm, &size) != NCCL_SUCCESS || size < 0)
		size = 0;
	if (outermost)
		guard_lower(GUARD_NCCL);
	return size;
}
