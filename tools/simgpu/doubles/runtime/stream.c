/* Streams, events, synchronisation, capture and graphs. */
#include "doubles/runtime/runtime.h"

#include <stdlib.h>

/* ---- streams ---- */

FORWARD_API(cudaStreamCreate, 129, driver(false)->cuStreamCreateWithPriority(stream, 0, 0),
			FIELDS(void **stream;), VALUES(stream), void **stream)
FORWARD_API(cudaStreamCreateWithFlags, 198,
			driver(false)->cuStreamCreateWithPriority(stream, flags, 0),
			FIELDS(void **stream; unsigned flags;), VALUES(stream, flags), void **stream,
			unsigned flags)
FORWARD_API(cudaStreamCreateWithPriority, 202,
			driver(false)->cuStreamCreateWithPriority(stream, flags, priority),
			FIELDS(void **stream; unsigned flags; int priority;), VALUES(stream, flags, priority),
			void **stream, unsigned flags, int priority)
FORWARD_API(cudaStreamDestroy, 201, driver(false)->cuStreamDestroy(stream), FIELDS(void *stream;),
			VALUES(stream), void *stream)
FORWARD_API(cudaStreamSynchronize, 131, driver(false)->cuStreamSynchronize(stream),
			FIELDS(void *stream;), VALUES(stream), void *stream)
FORWARD_API(cudaStreamSynchronize_ptsz, 239, driver(true)->cuStreamSynchronize(stream),
			FIELDS(void *stream;), VALUES(stream), void *stream)
FORWARD_API(cudaStreamQuery, 132, driver(false)->cuStreamQuery(stream), FIELDS(void *stream;),
			VALUES(stream), void *stream)
FORWARD_API(cudaStreamQuery_ptsz, 240, driver(true)->cuStreamQuery(stream), FIELDS(void *stream;),
			VALUES(stream), void *stream)
FORWARD_API(cudaStreamWaitEvent, 147, driver(false)->cuStreamWaitEvent(stream, event, flags),
			FIELDS(void *stream, *event; unsigned flags;), VALUES(stream, event, flags),
			void *stream, void *event, unsigned flags)
FORWARD_API(cudaStreamWaitEvent_ptsz, 247, driver(true)->cuStreamWaitEvent(stream, event, flags),
			FIELDS(void *stream, *event; unsigned flags;), VALUES(stream, event, flags),
			void *stream, void *event, unsigned flags)
FORWARD_API(cudaStreamGetFlags, 204, driver(false)->cuStreamGetFlags(stream, flags),
			FIELDS(void *stream; unsigned *flags;), VALUES(stream, flags), void *stream,
			unsigned *flags)
FORWARD_API(cudaStreamGetPriority, 203, driver(false)->cuStreamGetPriority(stream, priority),
			FIELDS(void *stream; int *priority;), VALUES(stream, priority), void *stream,
			int *priority)
FORWARD_API(cudaStreamGetId, 441, driver(false)->cuStreamGetId(stream, id),
			FIELDS(void *stream; unsigned long long *id;), VALUES(stream, id), void *stream,
			unsigned long long *id)

struct callback {
	void (*function)(void *stream, int status, void *data);
	void *stream, *data;
};

static void call_back(void *who)
{
	struct callback callback = *(struct callback *)who;
	free(who);
	callback.function(callback.stream, CUDA_OK, callback.data);
}

API(cudaStreamAddCallback, void *stream, void (*function)(void *, int, void *), void *data,
	unsigned flags)
{
	struct callback *callback = malloc(sizeof(*callback));
	struct sim_observed call;
	int result = runtime_enter(&call, 197, "cudaStreamAddCallback", NULL);
	if (!result && (!function || flags || !callback))
		result = callback ? CUDA_INVALID_VALUE : CUDA_OUT_OF_MEMORY;
	if (!result) {
		*callback = (struct callback){function, stream, data};
		result = driver(false)->cuLaunchHostFunc(stream, call_back, callback);
	}
	if (result)
		free(callback);
	return runtime_leave(&call, result);
}

/* ---- events ---- */

FORWARD_API(cudaEventCreate, 133, driver(false)->cuEventCreate(event, 0), FIELDS(void **event;),
			VALUES(event), void **event)
FORWARD_API(cudaEventCreateWithFlags, 134, driver(false)->cuEventCreate(event, flags),
			FIELDS(void **event; unsigned flags;), VALUES(event, flags), void **event,
			unsigned flags)
FORWARD_API(cudaEventDestroy, 136, driver(false)->cuEventDestroy(event), FIELDS(void *event;),
			VALUES(event), void *event)
FORWARD_API(cudaEventRecord, 135, driver(false)->cuEventRecord(event, stream),
			FIELDS(void *event, *stream;), VALUES(event, stream), void *event, void *stream)
FORWARD_API(cudaEventRecord_ptsz, 242, driver(true)->cuEventRecord(event, stream),
			FIELDS(void *event, *stream;), VALUES(event, stream), void *event, void *stream)
FORWARD_API(cudaEventRecordWithFlags, 370,
			driver(false)->cuEventRecordWithFlags(event, stream, flags),
			FIELDS(void *event, *stream; unsigned flags;), VALUES(event, stream, flags),
			void *event, void *stream, unsigned flags)
FORWARD_API(cudaEventQuery, 138, driver(false)->cuEventQuery(event), FIELDS(void *event;),
			VALUES(event), void *event)
FORWARD_API(cudaEventSynchronize, 137, driver(false)->cuEventSynchronize(event),
			FIELDS(void *event;), VALUES(event), void *event)
FORWARD_API(cudaEventElapsedTime, CUDART_MAJOR >= 13 ? 486 : 139,
			driver(false)->cuEventElapsedTime(ms, from, to), FIELDS(float *ms; void *from, *to;),
			VALUES(ms, from, to), float *ms, void *from, void *to)
#if CUDART_MAJOR == 12
FORWARD_API(cudaEventElapsedTime_v2, 486, driver(false)->cuEventElapsedTime(ms, from, to),
			FIELDS(float *ms; void *from, *to;), VALUES(ms, from, to), float *ms, void *from,
			void *to)
#endif

/* ---- capture ---- */

FORWARD_API(cudaStreamBeginCapture, 315, driver(false)->cuStreamBeginCapture(stream, mode),
			FIELDS(void *stream; int mode;), VALUES(stream, mode), void *stream, int mode)
FORWARD_API(cudaStreamEndCapture, 319, driver(false)->cuStreamEndCapture(stream, graph),
			FIELDS(void *stream, **graph;), VALUES(stream, graph), void *stream, void **graph)
FORWARD_API(cudaStreamIsCapturing, 317, driver(false)->cuStreamIsCapturing(stream, status),
			FIELDS(void *stream; int *status;), VALUES(stream, status), void *stream, int *status)

static int capture_info(void *stream, int *status, uint64_t *id, void **graph)
{
	struct sim_observed call;
	int result = runtime_enter(&call, 461, "cudaStreamGetCaptureInfo", NULL);
	if (!result)
		result = driver(false)->cuStreamGetCaptureInfo(stream, status, id, graph, NULL, NULL, NULL);
	return runtime_leave(&call, result);
}

static void no_dependencies(const void ***dependencies, const void **edges, size_t *n)
{
	if (dependencies)
		*dependencies = NULL;
	if (edges)
		*edges = NULL;
	if (n)
		*n = 0;
}

#if CUDART_MAJOR >= 13
API(cudaStreamGetCaptureInfo, void *stream, int *status, uint64_t *id, void **graph,
	const void ***dependencies, const void **edges, size_t *n)
{
	no_dependencies(dependencies, edges, n);
	return capture_info(stream, status, id, graph);
}
#else
API(cudaStreamGetCaptureInfo, void *stream, int *status, uint64_t *id)
{
	return capture_info(stream, status, id, NULL);
}

API(cudaStreamGetCaptureInfo_v2, void *stream, int *status, uint64_t *id, void **graph,
	const void ***dependencies, size_t *n)
{
	no_dependencies(dependencies, NULL, n);
	return capture_info(stream, status, id, graph);
}

API(cudaStreamGetCaptureInfo_v3, void *stream, int *status, uint64_t *id, void **graph,
	const void ***dependencies, const void **edges, size_t *n)
{
	no_dependencies(dependencies, edges, n);
	return capture_info(stream, status, id, graph);
}
#endif

API(cudaThreadExchangeStreamCaptureMode, int *mode)
{
	if (!mode || *mode < CAPTURE_GLOBAL || *mode > CAPTURE_RELAXED)
		return runtime_result(CUDA_INVALID_VALUE);
	*mode = simgpu_exchange_capture_mode(*mode);
	return CUDA_OK;
}

/* ---- graphs ---- */

FORWARD_API(cudaGraphInstantiate, 443,
			driver(false)->cuGraphInstantiateWithFlags(exec, graph, flags),
			FIELDS(void **exec, *graph; unsigned long long flags;), VALUES(exec, graph, flags),
			void **exec, void *graph, unsigned long long flags)
FORWARD_API(cudaGraphInstantiateWithFlags, 418,
			driver(false)->cuGraphInstantiateWithFlags(exec, graph, flags),
			FIELDS(void **exec, *graph; unsigned long long flags;), VALUES(exec, graph, flags),
			void **exec, void *graph, unsigned long long flags)
FORWARD_API(cudaGraphLaunch, 311, driver(false)->cuGraphLaunch(exec, stream),
			FIELDS(void *exec, *stream;), VALUES(exec, stream), void *exec, void *stream)
FORWARD_API(cudaGraphLaunch_ptsz, 312, driver(true)->cuGraphLaunch(exec, stream),
			FIELDS(void *exec, *stream;), VALUES(exec, stream), void *exec, void *stream)
FORWARD_API(cudaGraphUpload, 348, driver(false)->cuGraphUpload(exec, stream),
			FIELDS(void *exec, *stream;), VALUES(exec, stream), void *exec, void *stream)
FORWARD_API(cudaGraphExecDestroy, 313, driver(false)->cuGraphExecDestroy(exec), FIELDS(void *exec;),
			VALUES(exec), void *exec)
FORWARD_API(cudaGraphDestroy, 314, driver(false)->cuGraphDestroy(graph), FIELDS(void *graph;),
			VALUES(graph), void *graph)
FORWARD_API(cudaGraphGetNodes, 322, driver(false)->cuGraphGetNodes(graph, nodes, n),
			FIELDS(void *graph, **nodes; size_t * n;), VALUES(graph, nodes, n), void *graph,
			void **nodes, size_t *n)

API(cudaGraphNodeGetType, void *node, int *type)
{
	return runtime_result(driver(false)->cuGraphNodeGetType(node, type));
}
