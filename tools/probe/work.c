#include "work.h"

#include "activity.h"
#include "fixture_write.h"
#include "kernels.h"
#include "result.h"

#include <stdio.h>
#include <string.h>

struct options options;
struct work work;

static bool cupti_ready;

int work_repeats(int full)
{
	if (!options.quick)
		return full;
	return full > 200 ? 40 : full > 10 ? 10 : full;
}

bool work_init_plain(void)
{
	char why[512];

	if (driver_open(options.driver, why, sizeof(why)) == 0)
		return true;
	result_message("%s", why);
	return false;
}

bool work_init(void)
{
	char why[512];

	if (!work_init_plain())
		return false;
	if (!options.cupti)
		return true;
	if (cupti_open(options.cupti, why, sizeof(why)))
		result_message("%s", why);
	else
		cupti_ready = true;
	return true;
}

bool work_cupti(void)
{
	if (!cupti_ready)
		result_message("no usable CUPTI: left out");
	return cupti_ready;
}

static bool work_kernels(void)
{
	void *module = NULL;
	const char *ptx;
	int n = 0, rc = -1;

	while (rc != 0 && (ptx = kernels_ptx(n++)))
		rc = cuda.module_load(&module, ptx);
	return result_ok("cuModuleLoadData", rc) &&
		   result_ok("probe_empty", cuda.module_function(&work.empty, module, "probe_empty")) &&
		   result_ok("probe_spin", cuda.module_function(&work.spin, module, "probe_spin")) &&
		   result_ok("probe_write", cuda.module_function(&work.write, module, "probe_write"));
}

static bool work_functions(void)
{
	return result_have("cuDeviceGet", cuda.device_get) &&
		   result_have("cuDevicePrimaryCtxRetain", cuda.primary_retain) &&
		   result_have("cuCtxSetCurrent", cuda.set_current) &&
		   result_have("cuCtxSynchronize", cuda.synchronize) &&
		   result_have("cuModuleLoadData", cuda.module_load) &&
		   result_have("cuModuleGetFunction", cuda.module_function) &&
		   result_have("cuLaunchKernel", cuda.launch) &&
		   result_have("cuStreamCreate", cuda.stream_create);
}

bool work_begin(void)
{
	if (!work_functions() || !result_ok("cuDeviceGet", cuda.device_get(&work.device, 0)) ||
		!result_ok("cuDevicePrimaryCtxRetain", cuda.primary_retain(&work.context, work.device)) ||
		!result_ok("cuCtxSetCurrent", cuda.set_current(work.context)) || !work_kernels() ||
		!result_ok("cuStreamCreate", cuda.stream_create(&work.stream, CUDA_STREAM_NON_BLOCKING)) ||
		!result_ok("cuStreamCreate", cuda.stream_create(&work.other, CUDA_STREAM_NON_BLOCKING)))
		return false;
	if (!cuda.mem_alloc || cuda.mem_alloc(&work.memory, WORK_BYTES) != 0)
		work.memory = 0;
	/* Modules load lazily: the first launch of each kernel is not one to measure. */
	work_empty(work.stream);
	work_empty(work.other);
	work_spin(work.stream, 1000);
	if (work.memory)
		work_write(work.stream);
	return work_sync();
}

int work_empty(void *stream)
{
	return cuda.launch(work.empty, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL);
}

int work_spin(void *stream, uint64_t ns)
{
	void *params[] = {&ns};

	return cuda.launch(work.spin, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL);
}

int work_write(void *stream)
{
	uint32_t n = 1 << 20;
	void *params[] = {&work.memory, &n};

	return cuda.launch(work.write, n / 256, 1, 1, 256, 1, 1, 0, stream, params, NULL);
}

bool work_sync(void)
{
	return result_ok("cuCtxSynchronize", cuda.synchronize());
}

void *work_graph(int n)
{
	void *graph = NULL, *exec = NULL;
	int i, rc = 0;

	if (!result_have("cuStreamBeginCapture_v2", cuda.capture_begin) ||
		!result_have("cuStreamEndCapture", cuda.capture_end) ||
		!result_have("cuGraphInstantiateWithFlags", cuda.graph_instantiate) ||
		!result_have("cuGraphLaunch", cuda.graph_launch) ||
		!result_ok("cuStreamBeginCapture",
				   cuda.capture_begin(work.stream, CUDA_CAPTURE_THREAD_LOCAL)))
		return NULL;
	for (i = 0; i < n && rc == 0; i++)
		rc = work_empty(work.stream);
	if (!result_ok("cuStreamEndCapture", cuda.capture_end(work.stream, &graph)) ||
		!result_ok("launch in a capture", rc) ||
		!result_ok("cuGraphInstantiateWithFlags", cuda.graph_instantiate(&exec, graph, 0)))
		return NULL;
	return exec;
}

void work_fixture(const char *name, const char *what)
{
	char path[1024], meta[1024], gpu[128] = "?";
	struct fixture_source source = {.buffers = activity.buffers,
									.buffer_count = activity.buffer_count,
									.calls = call_log.calls,
									.call_count = call_log.calls ? calls_count() : 0,
									.meta = meta};
	const char *file = strrchr(options.cupti, '/');
	int version = 0, rc;

	if (cupti.get_version)
		cupti.get_version(&source.cupti_version);
	if (cuda.version && cuda.version(&version) == 0)
		source.driver_version = (uint32_t)version;
	if (cuda.device_name)
		cuda.device_name(gpu, sizeof(gpu), work.device);
	snprintf(meta, sizeof(meta), "section=%s\ngpu=%s\ncupti=%s\nwhat=%s\ncut_buffers=%zu\n", name,
			 gpu, file ? file + 1 : options.cupti, what, activity.cut_buffers);
	snprintf(path, sizeof(path), "%s/fixtures/%s.fixture", options.out, name);
	rc = fixture_write(path, &source);
	if (rc)
		result_message("%s: %s", path, strerror(-rc));
	else
		result_value("fixture bytes kept", "bytes", (int64_t)activity.kept_bytes);
}
