#include "dlsym.h"

#include "base/caller.h"
#include "base/guard.h"

#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

/* A sanitizer's runtime looks up what it intercepts before it is ready for instrumented code. */
#define RAW __attribute__((no_sanitize("address", "thread", "undefined")))

/* Read by the assembly once the filter has returned. */
__attribute__((visibility("hidden"))) dlsym_function dlsym_jump;
__attribute__((visibility("hidden"))) const char dlsym_nothing = 0; /* its address: NULL */
__attribute__((visibility("hidden"))) void *dlsym_filter(void *handle, const char *name,
														 const void *caller);

static void *none(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

RAW dlsym_function dlsym_true(void)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
	dlsym_function found = __atomic_load_n(&dlsym_jump, __ATOMIC_ACQUIRE);

	for (size_t i = 0; !found && i < sizeof(versions) / sizeof(versions[0]); i++)
		*(void **)&found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	__atomic_store_n(&dlsym_jump, found ? found : none, __ATOMIC_RELEASE);
	return found ? found : none;
}

void *dlsym_next(const char *name)
{
	return dlsym_true()(RTLD_NEXT, name);
}

void *dlsym_in(const char *soname, const char *name)
{
	void *library = dlopen(soname, RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
	return library ? dlsym_true()(library, name) : NULL;
}

static RAW const struct dlsym_name *look(const struct dlsym_name *table, unsigned count,
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
static RAW const struct dlsym_name *ours(const char *name)
{
	if (name[0] == 'c' && name[1] == 'u')
		return look(driver_names, driver_names_count, name);
	if (name[0] == 'n' && name[1] == 'c')
		return look(nccl_names, nccl_names_count, name);
	return NULL;
}

/* The wrapper when it forwards to what this library's own answer is; else NULL: a second copy of
 * the library is none of our business. */
static void *wrapped(const struct dlsym_name *entry, void *handle)
{
	dlsym_function true_dlsym = dlsym_true();
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
static RAW bool found_here(const char *name)
{
	extern const char __ehdr_start[] __attribute__((visibility("hidden")));
	extern const char _etext[] __attribute__((visibility("hidden")));
	const char *found = dlsym_true()(RTLD_DEFAULT, name);
	return found >= __ehdr_start && found < _etext;
}

/* A program that asks whether there is an NCCL must not be shown our wrappers for one. */
static RAW void *in_scope_of(const char *name, const void *caller)
{
	if (strncmp(name, "nccl", 4) != 0 && strncmp(name, "cu", 2) != 0 &&
		strncmp(name, "__cuda", 6) != 0)
		return NULL;
	if (!found_here(name) || caller_sees(caller, name))
		return NULL;
	return dlsym_next(name) ? NULL : (void *)&dlsym_nothing; /* which leaves its dlerror() */
}

/* Called by the interposed dlsym. Not NULL is the answer; NULL: jump to the true one. A lookup by
 * RTLD_DEFAULT or RTLD_NEXT depends on who asks, so only the true one may do it. */
RAW void *dlsym_filter(void *handle, const char *name, const void *caller)
{
	dlsym_true();
	if (handle == RTLD_DEFAULT && name)
		return in_scope_of(name, caller);
	if (handle == RTLD_NEXT || !name)
		return NULL;
	const struct dlsym_name *entry = ours(name);
	return SHIM_UNLIKELY(entry != NULL) ? wrapped(entry, handle) : NULL;
}
