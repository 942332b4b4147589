/* A libcuda.so.1 without a GPU, with just enough behaviour for the probe: streams are points in
 * time, a stream holds at most 1,000 operations, events and graphs work. -DFAKE_POOR leaves
 * functions out. Also a one-function libcudart in fake_cudart.c. */
#include "fake.h"

#include "clocks.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STREAMS = 64, DEPTH = 1000, NODES = 256, LATENCY_NS = 3000, GAP_NS = 900 };

struct graph {
	struct {
		uint32_t kind;
		int64_t length;
		const char *name;
	} nodes[NODES];
	uint32_t count, id;
};

struct stream {
	int64_t free_at, ends[DEPTH];
	uint64_t issued;
	struct graph *capture;
	uint32_t id;
};

struct event {
	int64_t at;
};

const struct fake_observer *fake_observer;
int fake_initialised;
_Thread_local uint32_t fake_outer_correlation;

static struct stream streams[STREAMS] = {{.id = 7}};
static uint32_t stream_count = 1;
static _Atomic uint32_t correlations = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Prototypes of the real library's entries that nobody else declares here. */
#define ENTRY(name, ...)   \
	int name(__VA_ARGS__); \
	int name(__VA_ARGS__)

uint32_t fake_next_correlation(void)
{
	return ++correlations;
}

static void misbehave(const char *function)
{
	const char *crash = getenv("FAKE_CRASH"), *hang = getenv("FAKE_HANG");
	const char *leave = getenv("FAKE_EXIT");

	if (leave && !strcmp(leave, function))
		_exit(9);
	if (crash && !strcmp(crash, function))
		raise(SIGSEGV);
	while (hang && !strcmp(hang, function))
		clock_sleep(1000000000);
}

static uint32_t call_begin(uint32_t cbid, const char *function)
{
	uint32_t correlation = fake_outer_correlation;

	misbehave(function);
	if (!correlation)
		correlation = fake_next_correlation();
	if (fake_observer)
		fake_observer->call(1, cbid, 0, function, correlation);
	return correlation;
}

static int call_end(uint32_t cbid, const char *function, uint32_t correlation)
{
	if (fake_observer)
		fake_observer->call(1, cbid, 1, function, correlation);
	return 0;
}

static void sleep_until(int64_t when)
{
	int64_t now = clock_real();

	if (when > now)
		clock_sleep(when - now);
}

static struct stream *stream_of(void *handle)
{
	return handle ? handle : &streams[0];
}

/* Puts an operation on the stream; blocks while the stream is full. */
static void issue(struct stream *stream, struct fake_op op, int64_t length)
{
	int64_t now, *slot;

	pthread_mutex_lock(&lock);
	if (stream->capture) {
		struct graph *graph = stream->capture;

		if (graph->count < NODES) {
			graph->nodes[graph->count].kind = op.kind;
			graph->nodes[graph->count].length = length;
			graph->nodes[graph->count++].name = op.name;
		}
		pthread_mutex_unlock(&lock);
		return;
	}
	slot = &stream->ends[stream->issued++ % DEPTH];
	sleep_until(*slot);
	now = clock_real();
	op.start =
		stream->free_at + GAP_NS > now + LATENCY_NS ? stream->free_at + GAP_NS : now + LATENCY_NS;
	op.end = op.start + length;
	op.stream = stream->id;
	stream->free_at = *slot = op.end;
	pthread_mutex_unlock(&lock);
	if (fake_observer)
		fake_observer->op(&op);
}

ENTRY(cuInit, unsigned flags)
{
	fake_initialised = flags == 0 && !getenv("FAKE_NO_DEVICE");
	return fake_initialised ? 0 : 100;
}

ENTRY(cuDriverGetVersion, int *version)
{
	*version = 13000;
	return 0;
}

ENTRY(cuDeviceGetCount, int *count)
{
	*count = 1;
	return 0;
}

ENTRY(cuDeviceGet, int *device, int index)
{
	*device = index;
	return index != 0;
}

ENTRY(cuDeviceGetName, char *name, int length, int device)
{
	(void)device;
	strncpy(name, "fake GPU: no measurement", (size_t)length - 1);
	name[length - 1] = 0;
	return 0;
}

ENTRY(cuDeviceGetAttribute, int *value, int attribute, int device)
{
	(void)device;
	*value = attribute;
	return 0;
}

ENTRY(cuDevicePrimaryCtxRetain, void **context, int device)
{
	(void)device;
	*context = &streams;
	return 0;
}

ENTRY(cuDevicePrimaryCtxReset_v2, int device)
{
	(void)device;
	if (fake_observer)
		fake_observer->context_ends();
	return 0;
}

ENTRY(cuCtxSetCurrent, void *context)
{
	return context == NULL;
}

ENTRY(cuCtxSynchronize, void)
{
	uint32_t correlation = call_begin(17, "cuCtxSynchronize"), i;

	for (i = 0; i < stream_count; i++)
		sleep_until(streams[i].free_at);
	return call_end(17, "cuCtxSynchronize", correlation);
}

ENTRY(cuModuleLoadData, void **module, const void *image)
{
	*module = &streams;
	return strstr(image, ".target sm_50") != NULL; /* as a driver that has dropped it would */
}

ENTRY(cuModuleGetFunction, void **function, void *module, const char *name)
{
	(void)module;
	*function = strdup(name);
	return *function == NULL;
}

ENTRY(cuLaunchKernel, const char *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
	  unsigned by, unsigned bz, unsigned shared_bytes, void *stream, void **params, void **extra)
{
	uint32_t correlation = call_begin(307, "cuLaunchKernel");
	int64_t length = 1200;

	(void)(gx + gy + gz + bx + by + bz + shared_bytes);
	(void)extra;
	if (!strcmp(function, "probe_spin"))
		length = *(int64_t *)params[0];
	issue(stream_of(stream), (struct fake_op){10, correlation, .name = function}, length);
	return call_end(307, "cuLaunchKernel", correlation);
}

ENTRY(cuStreamCreate, void **stream, unsigned flags)
{
	int failed;

	(void)flags;
	pthread_mutex_lock(&lock);
	failed = stream_count == STREAMS;
	if (!failed) {
		*stream = &streams[stream_count];
		streams[stream_count].id = 7 + stream_count;
		stream_count++;
	}
	pthread_mutex_unlock(&lock);
	return failed;
}

ENTRY(cuStreamSynchronize, void *stream)
{
	sleep_until(stream_of(stream)->free_at);
	return 0;
}

#ifndef FAKE_POOR
ENTRY(cuEventCreate, void **event, unsigned flags)
{
	(void)flags;
	*event = calloc(1, sizeof(struct event));
	return *event == NULL;
}

ENTRY(cuEventRecord, struct event *event, void *stream)
{
	uint32_t correlation = call_begin(119, "cuEventRecord");

	event->at = stream_of(stream)->free_at;
	return call_end(119, "cuEventRecord", correlation);
}

ENTRY(cuStreamWaitEvent, void *stream, const struct event *event, unsigned flags)
{
	(void)flags;
	if (stream_of(stream)->free_at < event->at)
		stream_of(stream)->free_at = event->at;
	return 0;
}

ENTRY(cuEventSynchronize, const struct event *event)
{
	sleep_until(event->at);
	return 0;
}

struct host_call {
	void (*function)(void *);
	void *data;
};

static void *host_call_run(void *argument)
{
	struct host_call *call = argument;

	call->function(call->data);
	return NULL;
}

/* Waits here for the stream: simpler than a stream that waits. */
ENTRY(cuLaunchHostFunc, void *stream, void (*function)(void *), void *data)
{
	struct host_call call = {function, data};
	pthread_t thread;

	sleep_until(stream_of(stream)->free_at);
	if (pthread_create(&thread, NULL, host_call_run, &call) != 0)
		return 1;
	pthread_join(thread, NULL);
	stream_of(stream)->free_at = clock_real();
	return 0;
}

ENTRY(cuStreamBeginCapture_v2, void *stream, int mode)
{
	(void)mode;
	stream_of(stream)->capture = calloc(1, sizeof(struct graph));
	return stream_of(stream)->capture == NULL;
}

ENTRY(cuStreamEndCapture, void *stream, void **graph)
{
	*graph = stream_of(stream)->capture;
	stream_of(stream)->capture = NULL;
	return *graph == NULL;
}

ENTRY(cuGraphInstantiateWithFlags, void **exec, struct graph *graph, unsigned long long flags)
{
	static uint32_t graph_count;

	(void)flags;
	graph->id = ++graph_count;
	*exec = graph;
	return 0;
}

ENTRY(cuGraphLaunch, const struct graph *graph, void *stream)
{
	uint32_t correlation = call_begin(514, "cuGraphLaunch"), i;
	struct stream *on = stream_of(stream);
	int64_t begin = 0;

	for (i = 0; i < graph->count; i++) {
		issue(on,
			  (struct fake_op){graph->nodes[i].kind, correlation, .graph = graph->id, .node = i + 1,
							   .name = graph->nodes[i].name},
			  graph->nodes[i].length);
		if (i == 0)
			begin = on->free_at - graph->nodes[i].length;
	}
	if (fake_observer)
		fake_observer->op(&(struct fake_op){51, correlation, on->id, graph->id, .start = begin,
											.end = on->free_at});
	return call_end(514, "cuGraphLaunch", correlation);
}
#endif

ENTRY(cuMemAlloc_v2, uint64_t *address, size_t bytes)
{
	*address = (uint64_t)(uintptr_t)calloc(1, bytes);
	return *address == 0;
}

ENTRY(cuMemHostAlloc, void **address, size_t bytes, unsigned flags)
{
	(void)flags;
	*address = calloc(1, bytes);
	return *address == NULL;
}

static int transfer(uint32_t cbid, const char *function, uint32_t kind, size_t bytes, void *stream)
{
	uint32_t correlation = call_begin(cbid, function);

	issue(stream_of(stream), (struct fake_op){kind, correlation, .bytes = bytes},
		  1000 + (int64_t)bytes / 25);
	return call_end(cbid, function, correlation);
}

ENTRY(cuMemcpyHtoDAsync_v2, uint64_t to, const void *from, size_t bytes, void *stream)
{
	(void)to;
	(void)from;
	return transfer(277, "cuMemcpyHtoDAsync", 1, bytes, stream);
}

ENTRY(cuMemcpyDtoHAsync_v2, void *to, uint64_t from, size_t bytes, void *stream)
{
	(void)to;
	(void)from;
	return transfer(279, "cuMemcpyDtoHAsync", 1, bytes, stream);
}

ENTRY(cuMemsetD8Async, uint64_t to, unsigned char value, size_t bytes, void *stream)
{
	(void)to;
	(void)value;
	return transfer(216, "cuMemsetD8Async", 2, bytes, stream);
}
