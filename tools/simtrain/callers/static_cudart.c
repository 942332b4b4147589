/* A library with a CUDA runtime of its own, as cuBLAS, cuDNN and NCCL have: it imports nothing of
 * CUDA. It opens libcuda.so.1, asks dlsym for one name, and that for all the others. */
#include <dlfcn.h>
#include <pthread.h>

#include "caller.h"
#include "driver.h"

enum { NOT_FOUND = 500 };

static struct driver driver;
static int failure;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
	static const struct {
		const char *name;
		int version;
		void **entry;
	} wanted[] = {{"cuInit", 2000, (void **)&driver.init},
				  {"cuDevicePrimaryCtxRetain", 7000, (void **)&driver.retain},
				  {"cuCtxSetCurrent", 4000, (void **)&driver.set_current},
				  {"cuModuleLoadData", 2000, (void **)&driver.load},
				  {"cuModuleGetFunction", 2000, (void **)&driver.get_function},
				  {"cuLaunchKernel", 4000, (void **)&driver.launch},
				  {"cuCtxSynchronize", 2000, (void **)&driver.synchronize}};
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	get_proc get = NULL;
	int status;

	if (library)
		*(void **)&get = dlsym(library, "cuGetProcAddress_v2");
	failure = get ? 0 : NOT_FOUND;
	for (unsigned i = 0; !failure && i < sizeof wanted / sizeof *wanted; i++)
		failure = get(wanted[i].name, wanted[i].entry, wanted[i].version, 0, &status);
}

int caller_launch(unsigned n)
{
	function gemm;
	int status;

	pthread_once(&once, load);
	status = failure ? failure
					 : driver_prepare(&driver,
									  "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize"
									  "128x128x64_warpgroupsize1x1x1_execute_kernel__5x_cublas",
									  &gemm);
	for (unsigned i = 0; !status && i < n; i++)
		status = driver.launch(gemm, 16, 1, 1, 128, 1, 1, 0, NULL, NULL, NULL);
	return status ? status : driver.synchronize();
}
