#include "doubles/shared/launch.h"

#include "doubles/doubles.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

typedef int launch_call(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
						unsigned, void *, void **, void **);
typedef int launch_ex_call(const struct cu_launch_config *, void *, void **, void **);
typedef int stream_call(void *);
typedef int stream_state_call(void *, int *);

static struct {
	launch_call *launch;
	launch_ex_call *launch_ex;
	stream_call *wait;
	stream_state_call *captured;
} driver;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_all(void)
{
	const struct {
		const char *name;
		void *to;
	} wanted[] = {{"cuLaunchKernel", &driver.launch},
				  {"cuLaunchKernelEx", &driver.launch_ex},
				  {"cuStreamSynchronize", &driver.wait},
				  {"cuStreamIsCapturing", &driver.captured}};
	union {
		void *pointer;
		int (*call)(const char *, void **, int, uint64_t, int *);
	} get_proc = {NULL};
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	if (library)
		get_proc.pointer = dlsym(library, "cuGetProcAddress_v2");
	for (size_t i = 0; get_proc.pointer && i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		int status;
		get_proc.call(wanted[i].name, wanted[i].to, 12080, 1, &status);
	}
}

int library_use(void)
{
	pthread_once(&once, find_all);
	if (!driver.launch || !driver.launch_ex || !driver.wait || !driver.captured)
		return CUDA_NOT_INITIALIZED;
	int failed = simgpu_init();
	return failed ? failed : simgpu_use_context();
}

static int launch_extended(const struct library_kernel *k, void *kernel, void *stream)
{
	const uint32_t *g = k->grid, *b = k->block;
	struct cu_launch_config config = {
		.grid = {g[0], g[1], g[2]}, .block = {b[0], b[1], b[2]}, .stream = stream};
	return driver.launch_ex(&config, kernel, NULL, NULL);
}

/* The runtime's call around the driver's, as CUPTI sees the copy inside a library. */
static int launch_plain(const struct library_kernel *k, void *kernel, void *stream)
{
	const uint32_t *g = k->grid, *b = k->block;
	const struct {
		const void *function;
		struct dim3 grid, block;
		void **arguments;
		size_t shared_bytes;
		void *stream;
	} params = {kernel, {g[0], g[1], g[2]}, {b[0], b[1], b[2]}, NULL, 0, stream};
	struct sim_observed call;
	int result = simgpu_runtime_enter(&call, 211, "cudaLaunchKernel", &params, k->name);
	if (!result)
		result = driver.launch(kernel, g[0], g[1], g[2], b[0], b[1], b[2], 0, stream, NULL, NULL);
	return simgpu_runtime_leave(&call, result);
}

int library_launch(const struct library_kernel *k, void *stream)
{
	int failed = library_use();
	if (failed)
		return failed;
	void *kernel = simgpu_kernel(k->name);
	return k->extended ? launch_extended(k, kernel, stream) : launch_plain(k, kernel, stream);
}

int library_wait(void *stream)
{
	int failed = library_use();
	return failed ? failed : driver.wait(stream);
}

bool library_captured(void *stream)
{
	int state = CAPTURE_NONE;
	return !library_use() && !driver.captured(stream, &state) && state != CAPTURE_NONE;
}

int library_capability(void)
{
	struct sim_identity identity;
	return simgpu_identity(simgpu_device(), &identity) ? identity.major * 10 + identity.minor : 80;
}
