/* The interposed dlsym: a program that looks up one of our names by a library's handle (a static
 * cudart asks libcuda for cuGetProcAddress_v2) gets our wrapper; everybody else goes on to the C
 * library's own with their own return address, from which it takes the scope of RTLD_NEXT and
 * RTLD_DEFAULT and the name in dlerror()'s text (dlsym_x86_64.S, dlsym_aarch64.S). */
#include "base/caller.h"
#include "base/guard.h"
#include "base/symbols.h"
#include "sources/launch/launch.h"
#include "sources/nccl/nccl.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

/* Read by the assembly once the filter has returned. */
SHIM_HIDDEN const char dlsym_nothing = 0; /* its address: NULL */
SHIM_HIDDEN void *dlsym_filter(void *handle, const char *name, const void *caller);

static SYMBOLS_RAW const struct symbols_hook *look(const struct symbols_hook *table, unsigned count,
												   const char *name)
{
	unsigned low = 0;
	while (low < count) {
		unsigned middle = (low + count) / 2;
		int order = strcmp(name, table[middle].name);
		if (order == 0)
			return &table[middle];
		if (order < 0)
			count = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* cudnn, cublas and their like begin with our letters too: only the whole name counts. */
static SYMBOLS_RAW const struct symbols_hook *ours(const char *name)
{
	if (name[0] == 'c' && name[1] == 'u')
		return look(driver_names, driver_names_count, name);
	if (name[0] == 'n' && name[1] == 'c')
		return look(nccl_names, nccl_names_count, name);
	return NULL;
}

/* The wrapper when it forwards to what this library's own answer is; else NULL: a second copy of
 * the library is none of our business. */
static void *wrapped(const struct symbols_hook *entry, void *handle)
{
	symbols_dlsym true_dlsym = symbols_true();
	void *theirs = entry->twin ? true_dlsym(handle, entry->twin) : NULL;
	void *real = atomic_load_explicit(entry->real, memory_order_acquire);

	if (!theirs)
		theirs = true_dlsym(handle, entry->name);
	if (!theirs || theirs == entry->wrapper)
		return NULL;
	if (!real && entry->find) {
		entry->find(entry->real, entry->name);
		real = atomic_load_explicit(entry->real, memory_order_acquire);
	}
	if (!real && atomic_compare_exchange_strong(entry->real, &real, theirs))
		real = theirs;
	if (real != theirs)
		return NULL;
	dlerror(); /* what was looked for in vain on the way is nobody's error */
	return entry->wrapper;
}

/* Is it this library that would be found? */
static SYMBOLS_RAW bool found_here(const char *name)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden")));
	extern const char _etext[] __attribute__((visibility("hidden")));
	const char *found = symbols_true()(RTLD_DEFAULT, name);
	return found >= __ehdr_start && found < _etext;
}

/* A program that asks whether there is an NCCL must not be shown our wrappers for one. */
static SYMBOLS_RAW void *in_scope_of(const char *name, const void *caller)
{
	if (strncmp(name, "nccl", 4) != 0 && strncmp(name, "cu", 2) != 0 &&
		strncmp(name, "__cuda", 6) != 0)
		return NULL;
	if (!found_here(name) || caller_sees(caller, name))
		return NULL;
	return symbols_next(name) ? NULL : (void *)&dlsym_nothing; /* which leaves its dlerror() */
}

/* Called by the interposed dlsym. Not NULL is the answer; NULL: jump to the true one. A lookup by
 * RTLD_DEFAULT or RTLD_NEXT depends on who asks, so only the true one may do it. */
SYMBOLS_RAW void *dlsym_filter(void *handle, const char *name, const void *caller)
{
	symbols_true();
	if (handle == RTLD_DEFAULT && name)
		return in_scope_of(name, caller);
	if (handle == RTLD_NEXT || !name)
		return NULL;
	const struct symbols_hook *entry = ours(name);
	return SHIM_UNLIKELY(entry != NULL) ? wrapped(entry, handle) : NULL;
}
