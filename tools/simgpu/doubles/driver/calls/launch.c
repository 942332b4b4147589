/* Launches: every family ends in launch(). */
#include "doubles/driver/calls/entry.h"
#include "doubles/driver/stream/capture.h"
#include "doubles/driver/stream/graph.h"
#include "doubles/driver/stream/kernel.h"
#include "doubles/driver/stream/submit.h"
#include "values/known.h"

struct launch_call {
	uint32_t cbid;
	const char *name;
	const void *params;
	bool per_thread;
};

static int accept(struct context *context, void *stream_handle, bool per_thread,
				  const struct plan *plan)
{
	(void)context;
	core_lock();
	struct stream *stream = stream_of(stream_handle, per_thread);
	int result = stream ? submit(stream, plan, NULL) : CUDA_INVALID_HANDLE;
	core_unlock();
	if (!result)
		host_thread_launched();
	return result;
}

static int launch(const struct launch_call *what, void *function, const struct shape *shape,
				  void *stream, void **arguments)
{
	struct kernel *kernel = kernel_of(function);
	struct sim_observed call;
	struct context *context;
	struct plan plan;
	int result =
		observe_enter(&call, what->cbid, what->name, what->params, kernel ? kernel->name : NULL);
	if (!result)
		result = context_need(&context);
	if (!result)
		result = kernel ? kernel_plan(kernel, shape, &plan) : CUDA_INVALID_HANDLE;
	plan.arguments = arguments;
	if (!result)
		result = accept(context, stream, what->per_thread, &plan);
	return observe_leave(&call, result);
}

#define LAUNCH_ENTRY(name_, cbid_, per_thread_)                                                    \
	ENTRY(name_, void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,  \
		  unsigned bz, unsigned shared_bytes, void *stream, void **arguments, void **extra)        \
	{                                                                                              \
		const struct {                                                                             \
			void *function;                                                                        \
			unsigned grid[3], block[3], shared_bytes;                                              \
			void *stream, **arguments, **extra;                                                    \
		} params = {function, {gx, gy, gz}, {bx, by, bz}, shared_bytes, stream, arguments, extra}; \
		struct shape shape = {{gx, gy, gz}, {bx, by, bz}, shared_bytes};                           \
		struct launch_call what = {cbid_, #name_, &params, per_thread_};                           \
		return launch(&what, function, &shape, stream, arguments);                                 \
	}

LAUNCH_ENTRY(cuLaunchKernel, 307, false)
LAUNCH_ENTRY(cuLaunchKernel_ptsz, 442, true)

/* The same without `extra`. */
#define COOPERATIVE_ENTRY(name_, cbid_, per_thread_)                                              \
	ENTRY(name_, void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, \
		  unsigned bz, unsigned shared_bytes, void *stream, void **arguments)                     \
	{                                                                                             \
		const struct {                                                                            \
			void *function;                                                                       \
			unsigned grid[3], block[3], shared_bytes;                                             \
			void *stream, **arguments;                                                            \
		} params = {function, {gx, gy, gz}, {bx, by, bz}, shared_bytes, stream, arguments};       \
		struct shape shape = {{gx, gy, gz}, {bx, by, bz}, shared_bytes};                          \
		struct launch_call what = {cbid_, #name_, &params, per_thread_};                          \
		return launch(&what, function, &shape, stream, arguments);                                \
	}

COOPERATIVE_ENTRY(cuLaunchCooperativeKernel, 477, false)
COOPERATIVE_ENTRY(cuLaunchCooperativeKernel_ptsz, 478, true)

#define LAUNCH_EX_ENTRY(name_, cbid_, per_thread_)                                           \
	ENTRY(name_, const struct cu_launch_config *config, void *function, void **arguments,    \
		  void **extra)                                                                      \
	{                                                                                        \
		const struct {                                                                       \
			const struct cu_launch_config *config;                                           \
			void *function, **arguments, **extra;                                            \
		} params = {config, function, arguments, extra};                                     \
		const uint32_t *g = config->grid, *b = config->block;                                \
		struct shape shape = {{g[0], g[1], g[2]}, {b[0], b[1], b[2]}, config->shared_bytes}; \
		struct launch_call what = {cbid_, #name_, &params, per_thread_};                     \
		return launch(&what, function, &shape, config->stream, arguments);                   \
	}

LAUNCH_EX_ENTRY(cuLaunchKernelEx, 652, false)
LAUNCH_EX_ENTRY(cuLaunchKernelEx_ptsz, 653, true)

/* ---- host functions ---- */

static int launch_host(const struct launch_call *what, void *stream, void (*function)(void *),
					   void *data)
{
	struct plan plan = {
		.kind = GPU_HOST_FUNC, .engine = ENGINE_NONE, .host = function, .data = data};
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, what->cbid, what->name, what->params, &context);
	if (!result && !function)
		result = CUDA_INVALID_VALUE;
	if (!result) {
		core_lock();
		struct stream *on = stream_of(stream, what->per_thread);
		result = on ? submit(on, &plan, NULL) : CUDA_INVALID_HANDLE;
		core_unlock();
	}
	return observe_leave(&call, result);
}

#define HOST_FUNC_ENTRY(name_, cbid_, per_thread_)                       \
	ENTRY(name_, void *stream, void (*function)(void *), void *data)     \
	{                                                                    \
		const struct {                                                   \
			void *stream;                                                \
			void (*function)(void *);                                    \
			void *data;                                                  \
		} params = {stream, function, data};                             \
		struct launch_call what = {cbid_, #name_, &params, per_thread_}; \
		return launch_host(&what, stream, function, data);               \
	}

HOST_FUNC_ENTRY(cuLaunchHostFunc, 527, false)
HOST_FUNC_ENTRY(cuLaunchHostFunc_ptsz, 528, true)

/* ---- graphs ---- */

static int launch_graph(const struct launch_call *what, void *handle, void *stream)
{
	struct sim_observed call;
	struct context *context;
	int result = entry_enter(&call, what->cbid, what->name, what->params, &context);
	struct graph_exec *exec = result ? NULL : graph_exec_of(handle);
	if (!result && !exec)
		result = CUDA_INVALID_VALUE;
	if (!result) {
		core_lock();
		struct stream *on = stream_of(stream, what->per_thread);
		if (!on)
			result = CUDA_INVALID_HANDLE;
		else if (on->capture)
			result = capture_break(on);
		else
			graph_launch(exec, on);
		core_unlock();
	}
	if (!result)
		host_thread_launched();
	return observe_leave(&call, result);
}

#define GRAPH_LAUNCH_ENTRY(name_, cbid_, per_thread_)                    \
	ENTRY(name_, void *exec, void *stream)                               \
	{                                                                    \
		const struct {                                                   \
			void *exec, *stream;                                         \
		} params = {exec, stream};                                       \
		struct launch_call what = {cbid_, #name_, &params, per_thread_}; \
		return launch_graph(&what, exec, stream);                        \
	}

GRAPH_LAUNCH_ENTRY(cuGraphLaunch, 514, false)
GRAPH_LAUNCH_ENTRY(cuGraphLaunch_ptsz, 515, true)

/* ---- ops that end from outside ---- */

struct sim_external_op *simgpu_launch_external(const struct sim_external *external)
{
	struct cu_launch_config config = {{external->grid, 1, 1}, {512, 1, 1}, 0,
									  external->stream,       NULL,        0};
	struct kernel *kernel = simgpu_kernel(external->name);
	const struct {
		const struct cu_launch_config *config;
		void *function, **arguments, **extra;
	} params = {&config, kernel, NULL, NULL};
	struct shape shape = {{external->grid ? external->grid : 1, 1, 1}, {512, 1, 1}, 0};
	struct sim_external_op *op = NULL;
	struct sim_observed call;
	struct plan plan;
	int result = observe_enter(&call, 652, "cuLaunchKernelEx", &params, kernel->name);
	if (!result)
		result = kernel_plan(kernel, &shape, &plan);
	if (!result) {
		plan.kind = GPU_NCCL;
		plan.engine = ENGINE_NONE;
		plan.external = external;
		core_lock();
		struct stream *stream = stream_of(external->stream, false);
		op = stream ? submit_external(stream, &plan) : NULL;
		core_unlock();
		result = op ? CUDA_OK : CUDA_INVALID_HANDLE;
	}
	if (op)
		host_thread_launched();
	observe_leave(&call, result);
	return op;
}

void simgpu_wrote(const void *target, size_t bytes, bool known)
{
	core_lock();
	known_write(target, bytes, known);
	core_unlock();
}

bool simgpu_known(const void *address, size_t bytes)
{
	core_lock();
	bool known = known_bytes(address, bytes);
	core_unlock();
	return known;
}
