#include "ring/python_lock.h"

#include "sources/stacks/interpreter.h"
#include "sources/stacks/python_layout.h"

#include <dlfcn.h>

/* struct _gil_runtime_state: the same from 3.11 to 3.13, the size for glibc. */
enum {
	GIL_INTERVAL = 0, /* in us */
	GIL_HOLDER = 8,   /* the last one, also when nobody has it */
	GIL_LOCKED = 16,
	GIL_READ = 20,
	GIL_BYTES = 208,
	STATE_INTERPRETER = 16, /* in a thread state */
	MOST_INTERVAL_US = 100 * 1000 * 1000,
};

/* Up to 3.11 all interpreters share one, later each has a pointer to its own. */
static const uint8_t *find(const uint8_t *thread)
{
	const struct layout *l = &python.layout;
	const uint8_t *interpreter, *lock;
	if (!l->gil)
		return NULL;
	if (python.version < 0x030c0000) {
		static const uint8_t *runtime;
		runtime = runtime ? runtime : dlsym(RTLD_DEFAULT, "_PyRuntime");
		return runtime ? runtime + l->gil : NULL;
	}
	if (!python_read_safely(thread + STATE_INTERPRETER, &interpreter, sizeof(interpreter)) ||
		!plausible(interpreter) || !python_read_safely(interpreter + l->gil, &lock, sizeof(lock)))
		return NULL;
	return plausible(lock) ? lock : NULL;
}

bool python_lock_look(const void *thread, struct python_lock *lock)
{
	uint8_t bytes[GIL_READ];
	if (!thread || atomic_load_explicit(&python.state, memory_order_acquire) != PYTHON_PROVEN)
		return false;
	const uint8_t *at = find(thread);
	if (!at || !python_read_safely(at, bytes, sizeof(bytes)))
		return false;
	uint64_t interval = load64(bytes + GIL_INTERVAL);
	int32_t locked = (int32_t)load32(bytes + GIL_LOCKED);
	if (!interval || interval > MOST_INTERVAL_US || locked < -1 || locked > 1)
		return false; /* this is no lock */
	*lock = (struct python_lock){.from = (uintptr_t)at, .to = (uintptr_t)at + GIL_BYTES};
	const uint8_t *holder = load_pointer(bytes + GIL_HOLDER);
	if (locked == 1 && plausible(holder))
		lock->holder = holder;
	return true;
}

bool python_lock_thread(const void *state, uint32_t *tid, uint64_t *owner)
{
	uint64_t native;
	uint32_t at = atomic_load(&python.owner_at);
	const uint8_t *from = state;
	if (!at || !python_read_safely(from + python.layout.native, &native, sizeof(native)) ||
		!python_read_safely(from + at, owner, sizeof(*owner)))
		return false;
	*tid = (uint32_t)native;
	return native && native == *tid;
}
