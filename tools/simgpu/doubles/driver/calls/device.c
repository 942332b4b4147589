/* Init, devices, contexts, and what cuGetProcAddress finds. */
#include "doubles/driver/calls/entry.h"
#include "doubles/driver/memory/memory.h"
#include "doubles/driver/stream/stream.h"
#include "doubles/external.h"

#include <stdio.h>
#include <string.h>

static _Atomic int runtime_version;

void simgpu_runtime_loaded(int version)
{
	int none = 0;
	atomic_compare_exchange_strong(&runtime_version, &none, version);
}

int simgpu_cuda_version(void)
{
	int loaded = runtime_version;
	return settings()->cuda ? settings()->cuda : loaded ? loaded : 13000;
}

ENTRY(cuInit, unsigned flags)
{
	return flags ? CUDA_INVALID_VALUE : simgpu_init();
}

ENTRY(cuDriverGetVersion, int *version)
{
	*version = simgpu_cuda_version();
	return CUDA_OK;
}

/* ---- devices ---- */

static int need_device(int device)
{
	int failed = core_state();
	return failed ? failed : context_of(device) ? CUDA_OK : CUDA_INVALID_DEVICE;
}

ENTRY(cuDeviceGetCount, int *count)
{
	int failed = core_state();
	if (!failed)
		*count = settings()->devices;
	return failed;
}

ENTRY(cuDeviceGet, int *device, int ordinal)
{
	int failed = need_device(ordinal);
	if (!failed)
		*device = ordinal;
	return failed;
}

ENTRY(cuDeviceGetName, char *name, int room, int device)
{
	int failed = need_device(device);
	struct sim_identity identity;
	if (!failed && room > 0 && simgpu_identity(device, &identity))
		snprintf(name, (size_t)room, "%s", identity.name);
	return failed;
}

ENTRY(cuDeviceGetUuid_v2, uint8_t *uuid, int device)
{
	int failed = need_device(device);
	if (!failed)
		context_uuid(device, uuid);
	return failed;
}

ENTRY(cuDeviceGetUuid, uint8_t *uuid, int device)
{
	return cuDeviceGetUuid_v2(uuid, device);
}

ENTRY(cuDeviceGetAttribute, int *value, int attribute, int device)
{
	int failed = need_device(device);
	if (!failed)
		*value = context_attribute(device, attribute);
	return failed;
}

ENTRY(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
	int failed = need_device(device);
	if (!failed)
		*bytes = settings()->memory_bytes;
	return failed;
}

ENTRY(cuDeviceGetPCIBusId, char *id, int room, int device)
{
	int failed = need_device(device);
	if (!failed && room > 0)
		snprintf(id, (size_t)room, "0000:%02x:00.0", context_attribute(device, 33));
	return failed;
}

ENTRY(cuDeviceCanAccessPeer, int *can, int device, int peer)
{
	int failed = need_device(device);
	if (!failed)
		failed = need_device(peer);
	if (!failed)
		*can = device != peer;
	return failed;
}

/* The driver's own messages: there are none. */
ENTRY(cuLogsRegisterCallback, void *callback, void *data, void **handle)
{
	(void)data;
	if (!callback)
		return CUDA_INVALID_VALUE;
	if (handle)
		*handle = callback;
	return core_state();
}

ENTRY(cuLogsUnregisterCallback, void *handle)
{
	return handle ? core_state() : CUDA_INVALID_VALUE;
}

/* The range that a profiler is asked to record: whoever observes the call may act on it. */
ENTRY(cuProfilerStart, void)
{
	struct sim_observed call;
	return observe_leave(&call, observe_enter(&call, 308, "cuProfilerStart", NULL, NULL));
}

ENTRY(cuProfilerStop, void)
{
	struct sim_observed call;
	return observe_leave(&call, observe_enter(&call, 309, "cuProfilerStop", NULL, NULL));
}

/* ---- primary contexts ---- */

ENTRY(cuDevicePrimaryCtxRetain, void **context, int device)
{
	int failed = need_device(device);
	if (failed)
		return failed;
	struct context *primary = context_use(device);
	core_lock();
	primary->retained++;
	core_unlock();
	*context = primary;
	return CUDA_OK;
}

ENTRY(cuDevicePrimaryCtxRelease_v2, int device)
{
	int failed = need_device(device);
	if (failed)
		return failed;
	struct context *primary = context_of(device);
	core_lock();
	bool held = primary->retained > 0, last = held && --primary->retained == 0;
	core_unlock();
	if (last)
		context_reset(primary);
	return held ? CUDA_OK : CUDA_INVALID_CONTEXT;
}

ENTRY(cuDevicePrimaryCtxReset_v2, int device)
{
	int failed = need_device(device);
	if (!failed)
		context_reset(context_of(device));
	return failed;
}

ENTRY(cuDevicePrimaryCtxSetFlags_v2, int device, unsigned flags)
{
	(void)flags;
	return need_device(device);
}

ENTRY(cuDevicePrimaryCtxGetState, int device, unsigned *flags, int *active)
{
	int failed = need_device(device);
	if (!failed) {
		*flags = 0;
		*active = __atomic_load_n(&context_of(device)->live, __ATOMIC_ACQUIRE);
	}
	return failed;
}

/* ---- the thread's context ---- */

static void make_current(struct context *context)
{
	struct host_thread *thread = host_thread();
	if (!thread->n_contexts)
		thread->n_contexts = 1;
	thread->contexts[thread->n_contexts - 1] = context;
	if (context)
		thread->device = context->device;
	else
		thread->n_contexts--;
}

ENTRY(cuCtxGetCurrent, void **context)
{
	int failed = core_state();
	if (!failed)
		*context = context_current();
	return failed;
}

ENTRY(cuCtxSetCurrent, void *context)
{
	int failed = core_state();
	if (!failed && context && !context_valid(context))
		failed = CUDA_INVALID_CONTEXT;
	if (!failed)
		make_current(context);
	return failed;
}

ENTRY(cuCtxPushCurrent_v2, void *context)
{
	struct host_thread *thread = host_thread();
	int failed = core_state();
	if (!failed && !context_valid(context))
		failed = CUDA_INVALID_CONTEXT;
	if (!failed && thread->n_contexts == CONTEXT_STACK)
		failed = CUDA_INVALID_VALUE;
	if (failed)
		return failed;
	thread->contexts[thread->n_contexts++] = context;
	thread->device = ((struct context *)context)->device;
	return CUDA_OK;
}

ENTRY(cuCtxPopCurrent_v2, void **context)
{
	struct host_thread *thread = host_thread();
	int failed = core_state();
	if (failed || !thread->n_contexts)
		return failed ? failed : CUDA_INVALID_CONTEXT;
	struct context *popped = thread->contexts[--thread->n_contexts];
	if (context)
		*context = popped;
	if (thread->n_contexts)
		thread->device = thread->contexts[thread->n_contexts - 1]->device;
	return CUDA_OK;
}

ENTRY(cuCtxGetDevice, int *device)
{
	struct context *context;
	int failed = core_state();
	if (!failed)
		failed = context_need(&context);
	if (!failed)
		*device = context->device;
	return failed;
}

ENTRY(cuCtxGetApiVersion, void *context, unsigned *version)
{
	(void)context;
	*version = 3020;
	return core_state();
}

/* Stack, printf buffer, heap and so on: kept, without a meaning. */
static _Atomic size_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 128};
enum { LIMITS = sizeof(limits) / sizeof(limits[0]) };

ENTRY(cuCtxSetLimit, int limit, size_t value)
{
	int failed = core_state();
	if (!failed && (limit < 0 || limit >= LIMITS))
		failed = CUDA_INVALID_VALUE;
	if (!failed)
		limits[limit] = value;
	return failed;
}

ENTRY(cuCtxGetLimit, size_t *value, int limit)
{
	int failed = core_state();
	if (!failed && (limit < 0 || limit >= LIMITS || !value))
		failed = CUDA_INVALID_VALUE;
	if (!failed)
		*value = limits[limit];
	return failed;
}

ENTRY(cuCtxGetStreamPriorityRange, int *least, int *greatest)
{
	if (least)
		*least = 0;
	if (greatest)
		*greatest = -5;
	return core_state();
}

/* ---- the doubles above ---- */

int simgpu_set_device(int device)
{
	int failed = need_device(device);
	if (!failed)
		make_current(context_use(device));
	return failed;
}

int simgpu_use_context(void)
{
	struct host_thread *thread = host_thread();
	struct context *context = context_current();
	if (context && __atomic_load_n(&context->live, __ATOMIC_ACQUIRE))
		return CUDA_OK;
	return context_use(thread->device) ? CUDA_OK : CUDA_INVALID_DEVICE;
}

int simgpu_reset_device(int device)
{
	return cuDevicePrimaryCtxReset_v2(device);
}

int simgpu_device(void)
{
	return host_thread()->device;
}

bool simgpu_identity(int device, struct sim_identity *identity)
{
	if (device < 0 || device >= settings()->devices)
		return false;
	*identity = (struct sim_identity){.bus = (unsigned)context_attribute(device, 33),
									  .major = settings()->capability / 10,
									  .minor = settings()->capability % 10,
									  .memory_bytes = settings()->memory_bytes};
	context_uuid(device, identity->uuid);
	snprintf(identity->name, sizeof(identity->name), "Simulated GPU sm_%d", settings()->capability);
	return true;
}

int simgpu_devices(void)
{
	return settings()->devices;
}

int simgpu_stream_device(void *handle)
{
	if (core_state())
		return -1;
	if ((uintptr_t)handle <= HANDLE_PER_THREAD)
		return host_thread()->device;
	core_lock();
	struct stream *stream = stream_of(handle, false);
	int device = stream ? stream->context->device : -1;
	core_unlock();
	return device;
}
