#include "ring/thread_name.h"

#include <stdatomic.h>
#include <stddef.h>

#define THREADS 512u

static struct {
	_Atomic uint32_t tid;
	_Atomic(const char *) name;
} threads[THREADS];

void thread_name_give(uint32_t tid, const char *name)
{
	for (unsigned i = 0; tid && i < THREADS; i++) {
		uint32_t at = 0;
		if (!atomic_compare_exchange_strong(&threads[i].tid, &at, tid) && at != tid)
			continue;
		atomic_store_explicit(&threads[i].name, name, memory_order_release);
		return;
	}
}

const char *thread_name_given(uint32_t tid)
{
	for (unsigned i = 0; i < THREADS; i++) {
		uint32_t at = atomic_load_explicit(&threads[i].tid, memory_order_relaxed);
		if (!at)
			return NULL;
		if (at == tid)
			return atomic_load_explicit(&threads[i].name, memory_order_acquire);
	}
	return NULL;
}
