/* Asks the driver for the entries of per-thread default streams (flag 2): cuLaunchKernel_ptsz under
 * the name cuLaunchKernel, as code compiled with --default-stream per-thread does. */
#include <dlfcn.h>
#include <pthread.h>

#include "caller.h"
#include "driver.h"

enum { NOT_FOUND = 500, PER_THREAD_DEFAULT_STREAM = 2 };

static struct driver driver;
static int failure;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	unsigned long long flags = PER_THREAD_DEFAULT_STREAM;
	get_proc get = NULL, again = NULL;
	int status;

	if (library)
		*(void **)&get = dlsym(library, "cuGetProcAddress_v2");
	/* itself by itself, as libcudart asks */
	failure = get ? get("cuGetProcAddress", (void **)&again, 12000, flags, &status) : NOT_FOUND;
	if (failure)
		return;
	failure |= again("cuInit", (void **)&driver.init, 2000, flags, &status);
	failure |= again("cuDevicePrimaryCtxRetain", (void **)&driver.retain, 7000, flags, &status);
	failure |= again("cuCtxSetCurrent", (void **)&driver.set_current, 4000, flags, &status);
	failure |= again("cuModuleLoadData", (void **)&driver.load, 2000, flags, &status);
	failure |= again("cuModuleGetFunction", (void **)&driver.get_function, 2000, flags, &status);
	failure |= again("cuLaunchKernel", (void **)&driver.launch, 7000, flags, &status);
	failure |= again("cuCtxSynchronize", (void **)&driver.synchronize, 2000, flags, &status);
}

int caller_launch(unsigned n)
{
	function kernel;
	int status;

	pthread_once(&once, load);
	status = failure ? failure : driver_prepare(&driver, "per_thread_stream_kernel", &kernel);
	for (unsigned i = 0; !status && i < n; i++)
		status = driver.launch(kernel, 8, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL);
	return status ? status : driver.synchronize();
}
