#include "record/trial_job.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { BYTES = 4096, NAME_BYTES = 128 };
enum { BURSTS = 40, BURST = 200 /* fits into the GPU's queue */ };

/* Of cuda.h; 0 is success. */
struct driver {
	int (*init)(unsigned flags);
	int (*version)(int *version);
	int (*count)(int *count);
	int (*get)(int *device, int ordinal);
	int (*name)(char *name, int bytes, int device);
	int (*retain)(void **context, int device);
	int (*release)(int device);
	int (*current)(void *context);
	int (*allocate)(uint64_t *at, size_t bytes);
	int (*set)(uint64_t at, unsigned char value, size_t bytes);
	int (*synchronize)(void);
	int (*free)(uint64_t at);
	int (*load)(void **module, const void *image);
	int (*function)(void **function, void *module, const char *name);
	int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
				  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
				  void *stream, void **arguments, void **extra);
	int (*unload)(void *module);
	int (*error_name)(int error, const char **name);
};

static const struct {
	const char *name;
	size_t offset;
} entries[] = {
	{"cuInit", offsetof(struct driver, init)},
	{"cuDriverGetVersion", offsetof(struct driver, version)},
	{"cuDeviceGetCount", offsetof(struct driver, count)},
	{"cuDeviceGet", offsetof(struct driver, get)},
	{"cuDeviceGetName", offsetof(struct driver, name)},
	{"cuDevicePrimaryCtxRetain", offsetof(struct driver, retain)},
	{"cuDevicePrimaryCtxRelease_v2", offsetof(struct driver, release)},
	{"cuCtxSetCurrent", offsetof(struct driver, current)},
	{"cuMemAlloc_v2", offsetof(struct driver, allocate)},
	{"cuMemsetD8_v2", offsetof(struct driver, set)},
	{"cuCtxSynchronize", offsetof(struct driver, synchronize)},
	{"cuMemFree_v2", offsetof(struct driver, free)},
	{"cuModuleLoadData", offsetof(struct driver, load)},
	{"cuModuleGetFunction", offsetof(struct driver, function)},
	{"cuLaunchKernel", offsetof(struct driver, launch)},
	{"cuModuleUnload", offsetof(struct driver, unload)},
	{"cuGetErrorName", offsetof(struct driver, error_name)},
};

static int fault(const struct driver *driver, const char *call, int error)
{
	const char *name = NULL;
	driver->error_name(error, &name);
	printf("fault %s: %s\n", call, name ? name : "an unknown error");
	return 1;
}

static int load(struct driver *driver)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library) {
		printf("fault there is no NVIDIA driver here: %s\n", dlerror());
		return 1;
	}
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		void *entry = dlsym(library, entries[i].name);
		if (!entry) {
			printf("fault %s is missing in libcuda.so.1\n", entries[i].name);
			return 1;
		}
		*(void **)(void *)((char *)driver + entries[i].offset) = entry;
	}
	return 0;
}

static int launch(const struct driver *driver, void *kernel)
{
	return driver->launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

static long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* The waits for the GPU are left out, and so are bursts in which the thread lost its core. */
static int time_launches(const struct driver *driver, void *kernel)
{
	long long least_ns = 0;
	for (int burst = 0; burst < BURSTS; burst++) {
		int error = 0;
		const long long from = now_ns();
		for (int i = 0; i < BURST && !error; i++)
			error = launch(driver, kernel);
		const long long ns = now_ns() - from;
		error = error ? error : driver->synchronize();
		if (error)
			return error;
		least_ns = burst == 0 || ns < least_ns ? ns : least_ns;
	}
	printf("launch %lld\n", least_ns / BURST);
	return 0;
}

/* A kernel that does nothing. Where the driver cannot compile it (some containers lack its
 * compiler, and a GPU may be older than sm_60), the set memory has to do. */
static int launch_kernel(const struct driver *driver, bool timed)
{
	static const char ptx[] =
		".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry baton_trial()\n{ ret; }\n";
	void *module = NULL, *kernel = NULL;
	if (driver->load(&module, ptx) != 0)
		return 0;
	int error = driver->function(&kernel, module, "baton_trial");
	if (!error)
		error = launch(driver, kernel);
	if (!error)
		error = driver->synchronize();
	if (!error && timed)
		error = time_launches(driver, kernel);
	driver->unload(module);
	return error ? fault(driver, "cuLaunchKernel", error) : 0;
}

static int set_memory(const struct driver *driver)
{
	uint64_t at = 0;
	int error = driver->allocate(&at, BYTES);
	if (error)
		return fault(driver, "cuMemAlloc", error);
	error = driver->set(at, 1, BYTES);
	if (!error)
		error = driver->synchronize();
	driver->free(at);
	return error ? fault(driver, "cuMemsetD8", error) : 0;
}

static int use_gpu(const struct driver *driver, int ordinal)
{
	char name[NAME_BYTES] = "";
	void *context = NULL;
	int device = 0;
	int error = driver->get(&device, ordinal);
	if (!error)
		error = driver->name(name, sizeof(name), device);
	if (!error)
		error = driver->retain(&context, device);
	if (error)
		return fault(driver, "cuDevicePrimaryCtxRetain", error);
	error = driver->current(context);
	if (error)
		fault(driver, "cuCtxSetCurrent", error);
	else
		error = set_memory(driver) || launch_kernel(driver, ordinal == 0);
	driver->release(device);
	if (!error)
		printf("gpu %s\n", name);
	return error ? 1 : 0;
}

int trial_job_run(void)
{
	struct driver driver;
	int version = 0, gpus = 0, status = 0;
	if (load(&driver) != 0)
		return 1;
	int error = driver.init(0);
	if (error)
		return fault(&driver, "cuInit", error);
	driver.version(&version);
	printf("driver %d\n", version);
	error = driver.count(&gpus);
	if (error)
		return fault(&driver, "cuDeviceGetCount", error);
	for (int i = 0; i < gpus; i++)
		status |= use_gpu(&driver, i);
	return status;
}
