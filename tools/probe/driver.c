#include "driver.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct driver cuda;
static void *driver_handle;

static const char *const places[] = {
	"libcuda.so.1",
	"/usr/local/nvidia/lib64/libcuda.so.1",
	"/usr/lib/x86_64-linux-gnu/libcuda.so.1",
	"/usr/lib/aarch64-linux-gnu/libcuda.so.1",
	"/usr/lib64/libcuda.so.1",
	"/usr/lib/wsl/lib/libcuda.so.1",
};

static void *driver_find(const char *path, char *why, size_t why_bytes)
{
	void *handle = NULL;
	size_t i;

	if (path)
		handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	for (i = 0; !path && !handle && i < sizeof(places) / sizeof(places[0]); i++)
		handle = dlopen(places[i], RTLD_NOW | RTLD_GLOBAL);
	if (!handle)
		snprintf(why, why_bytes, "no CUDA driver: %s", path ? dlerror() : "libcuda.so.1 not found");
	return handle;
}

int driver_open(const char *path, char *why, size_t why_bytes)
{
	void *handle = driver_find(path, why, why_bytes);
	void *found;
	int rc;

	if (!handle)
		return ENOENT;
	driver_handle = handle;
#define DRIVER_FIND(member, symbol, arguments) \
	found = dlsym(handle, symbol);             \
	memcpy(&cuda.member, &found, sizeof(found));
	DRIVER_FUNCTIONS(DRIVER_FIND)
#undef DRIVER_FIND
	if (!cuda.init) {
		snprintf(why, why_bytes, "libcuda has no cuInit");
		return ENOSYS;
	}
	rc = cuda.init(0);
	if (rc) {
		snprintf(why, why_bytes, "cuInit: error %d (no usable GPU)", rc);
		return ENODEV;
	}
	return 0;
}

void driver_symbol(const char *name, void *function, size_t bytes)
{
	void *found = driver_handle ? dlsym(driver_handle, name) : NULL;

	memcpy(function, &found, bytes);
}
