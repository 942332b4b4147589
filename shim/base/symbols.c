#include "base/symbols.h"

#include "base/guard.h"

#include <dlfcn.h>
#include <stddef.h>

/* Read by the assembly of the interposed dlsym, once its filter has returned. */
SHIM_HIDDEN symbols_dlsym dlsym_jump;

static void *none(void *handle, const char *name)
{
	(void)handle;
	(void)name;
	return NULL;
}

SYMBOLS_RAW symbols_dlsym symbols_true(void)
{
	static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
	symbols_dlsym found = __atomic_load_n(&dlsym_jump, __ATOMIC_ACQUIRE);

	for (size_t i = 0; !found && i < sizeof(versions) / sizeof(versions[0]); i++)
		*(void **)&found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	__atomic_store_n(&dlsym_jump, found ? found : none, __ATOMIC_RELEASE);
	return found ? found : none;
}

void *symbols_next(const char *name)
{
	return symbols_true()(RTLD_NEXT, name);
}

void *symbols_in(const char *soname, const char *name)
{
	void *library = dlopen(soname, RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL);
	return library ? symbols_true()(library, name) : NULL;
}
