#include "sources/stacks/native.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

static struct native {
	_Atomic int opened; /* 1 being opened, 2 done */
	int (*backtrace)(void **addresses, int room);
	_Atomic(const char *) why_off;
} native;

static const char library[] = "libunwind.so.8";

/* libunwind beside the file that this code is in. */
static void *open_beside(void)
{
	Dl_info self;
	char path[1024];
	if (!dladdr((void *)native_open, &self) || !self.dli_fname)
		return NULL;
	const char *slash = strrchr(self.dli_fname, '/');
	size_t folder = slash ? (size_t)(slash + 1 - self.dli_fname) : 0;
	if (!folder || folder + sizeof(library) > sizeof(path))
		return NULL;
	memcpy(path, self.dli_fname, folder);
	memcpy(path + folder, library, sizeof(library));
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

void native_open(void)
{
	int not_yet = 0;
	if (!atomic_compare_exchange_strong(&native.opened, &not_yet, 1))
		return;
	void *handle = open_beside();
	if (!handle)
		handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		atomic_store(&native.why_off, "native stacks need libunwind.so.8 (package libunwind8)");
	else
		native.backtrace = (int (*)(void **, int))dlsym(handle, "unw_backtrace");
	if (handle && !native.backtrace)
		atomic_store(&native.why_off, "this libunwind.so.8 has no unw_backtrace");
	atomic_store(&native.opened, 2);
}

bool native_ready(void)
{
	return atomic_load_explicit(&native.opened, memory_order_acquire) == 2 && native.backtrace;
}

const char *native_why_off(void)
{
	return atomic_load(&native.why_off);
}

unsigned native_walk(void *addresses[NATIVE_FRAMES])
{
	int n = native_ready() ? native.backtrace(addresses, NATIVE_FRAMES) : 0;
	return n > 0 ? (unsigned)n : 0;
}

static bool within(uintptr_t address, const void *from, size_t bytes)
{
	return address - (uintptr_t)from < bytes;
}

void native_frames(void *const addresses[], unsigned n, const void *loop, size_t loop_bytes,
				   struct module_place places[NATIVE_FRAMES],
				   struct baton_frame frames[NATIVE_FRAMES], uint8_t roles[NATIVE_FRAMES])
{
	uintptr_t own = (uintptr_t)native_open;
	modules_resolve(addresses, n, places);
	for (unsigned i = 0; i < n; i++) {
		const struct module_place *p = &places[i];
		uintptr_t before = (uintptr_t)addresses[i] - 1; /* in the call, not after it */
		frames[i] = (struct baton_frame){BATON_FRAME_NATIVE, p->module, p->offset};
		roles[i] = NATIVE_OTHER;
		if (own >= p->from && own < p->end)
			roles[i] = NATIVE_SHIM;
		else if (loop && within(before, loop, loop_bytes))
			roles[i] = NATIVE_LOOP;
		else if (loop && (uintptr_t)loop >= p->from && (uintptr_t)loop < p->end)
			roles[i] = NATIVE_INTERPRETER;
	}
}
