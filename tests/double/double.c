/* The doubles by their public interface alone: order, latencies, back-pressure, counts, what the
 * observer sees. Times are the simulated devices' own, so nothing depends on how fast this machine
 * is; throughput is printed. Links with libcudart.so.13 and libcuda.so.1. Run with
 * SIMGPU_KERNEL_NS=20000 SIMGPU_LATENCY_NS=4000 SIMGPU_GAP_NS=1000 SIMGPU_GRAPH_GAP_NS=500
 * SIMGPU_DURATIONS="slow=3000000;blocks=1000+10" SIMGPU_DEVICES=2. */
#include "external.h"
#include "observe.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct dim {
	unsigned x, y, z;
};
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaHostAlloc(void **, size_t, unsigned);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyAsync(void *, const void *, size_t, int, void *);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemset(void *, int, size_t);
int cudaSetDevice(int);
int cudaGetDevice(int *);
int cudaGetDeviceCount(int *);
int cudaGetLastError(void);
int cudaLaunchKernel(const void *, struct dim, struct dim, void **, size_t, void *);
int __cudaLaunchKernel(void *, struct dim, struct dim, void **, size_t, void *);
int __cudaGetKernel(void **, const void *);
int cudaLaunchHostFunc(void *, void (*)(void *), void *);
int cudaStreamCreate(void **);
int cudaStreamCreateWithFlags(void **, unsigned);
int cudaStreamDestroy(void *);
int cudaStreamSynchronize(void *);
int cudaStreamQuery(void *);
int cudaStreamWaitEvent(void *, void *, unsigned);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaEventCreate(void **);
int cudaEventRecord(void *, void *);
int cudaEventSynchronize(void *);
int cudaEventQuery(void *);
int cudaEventElapsedTime(float *, void *, void *);
int cudaGraphInstantiate(void **, void *, unsigned long long);
int cudaGraphLaunch(void *, void *);
int cudaGraphExecDestroy(void *);
int cudaGraphDestroy(void *);
int cudaDeviceSynchronize(void);
int cudaPointerGetAttributes(void *, const void *);
const char *cudaGetErrorName(int);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
							void *, void *, int *);
int cuGetProcAddress_v2(const char *, void **, int, uint64_t, int *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
				   void *, void **, void **);
int cuModuleLoadData(void **, const void *);
int cuModuleGetFunction(void **, void *, const char *);

enum { HTOD = 1, DTOH = 2, NON_BLOCKING = 1, LATENCY = 4000, GAP = 1000, KERNEL = 20000 };
#define SLOW 3000000

static int failures;

static void check(int ok, const char *what, int line)
{
	if (ok)
		return;
	failures++;
	printf("double.c:%d: %s\n", line, what);
}
#define CHECK(condition) check(condition, #condition, __LINE__)
#define OK(call) check((call) == 0, #call " is not 0", __LINE__)

/* ---- kernels, and what the observer saw ---- */

static void plain(void)
{
}
static void slow(void)
{
}
static void blocks(void)
{
}

static void register_kernels(void)
{
	__cudaRegisterFunction(NULL, (const char *)plain, NULL, "_Z5plainPf", 0, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(NULL, (const char *)slow, NULL, "_Z4slowPf", 0, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(NULL, (const char *)blocks, NULL, "_Z6blocksPf", 0, 0, 0, 0, 0, 0);
}

static int launch_on(const void *kernel, unsigned grid, void *stream)
{
	return cudaLaunchKernel(kernel, (struct dim){grid, 1, 1}, (struct dim){128, 1, 1}, NULL, 0,
							stream);
}

#define SEEN 4096
static struct sim_record ops[SEEN];
static struct sim_call calls[SEEN]; /* .data: 1 enter, 2 leave */
static struct sim_sync syncs[SEEN];
static unsigned n_ops, n_calls, n_syncs, n_contexts;
static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t main_thread;
static int op_on_main_thread, call_off_thread;

static void note_call(const struct sim_call *call, uint64_t what)
{
	pthread_mutex_lock(&seen_lock);
	if (n_calls < SEEN) {
		calls[n_calls] = *call;
		calls[n_calls++].data = what;
	}
	pthread_mutex_unlock(&seen_lock);
}

static void entered(struct sim_call *call)
{
	call_off_thread += !pthread_equal(pthread_self(), main_thread);
	call->data = 7;
	note_call(call, 1);
}

static void left(struct sim_call *call)
{
	CHECK(call->data == 7);
	note_call(call, 2);
}

static void op_ended(const struct sim_record *record)
{
	pthread_mutex_lock(&seen_lock);
	op_on_main_thread += pthread_equal(pthread_self(), main_thread);
	if (n_ops < SEEN)
		ops[n_ops++] = *record;
	pthread_mutex_unlock(&seen_lock);
}

static void sync_ended(const struct sim_sync *sync)
{
	pthread_mutex_lock(&seen_lock);
	if (n_syncs < SEEN)
		syncs[n_syncs++] = *sync;
	pthread_mutex_unlock(&seen_lock);
}

static void resource(enum sim_resource_kind kind, void *context, uint32_t id)
{
	n_contexts += kind == SIM_CONTEXT_CREATED && context && id;
}

static const struct sim_observer observer = {entered, left, op_ended, sync_ended, resource};

static void watch(void)
{
	CHECK(simgpu_settle(5000));
	pthread_mutex_lock(&seen_lock);
	n_ops = n_calls = n_syncs = 0;
	pthread_mutex_unlock(&seen_lock);
	simgpu_observe(&observer);
}

static void watched(void)
{
	CHECK(simgpu_settle(5000));
	simgpu_observe(NULL);
}

static const struct sim_record *op_named(const char *name, unsigned nth)
{
	static const struct sim_record none;
	for (unsigned i = 0; i < n_ops; i++)
		if (ops[i].name && strstr(ops[i].name, name) && nth-- == 0)
			return &ops[i];
	check(0, name, 0);
	return &none;
}

/* A host function that holds its stream until opened: what is launched behind it is launched in
 * time, however slow this machine is. */
static int gate_open;

static void gate(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&gate_open, __ATOMIC_ACQUIRE))
		usleep(200);
}

static void close_gate(void *stream)
{
	__atomic_store_n(&gate_open, 0, __ATOMIC_RELEASE);
	OK(cudaLaunchHostFunc(stream, gate, NULL));
}

static void open_gate(void)
{
	__atomic_store_n(&gate_open, 1, __ATOMIC_RELEASE);
}

/* ---- cases ---- */

static void case_memory(void)
{
	enum { BYTES = 3 << 20 };
	unsigned char *host = malloc(BYTES), *back = calloc(1, BYTES);
	unsigned char *device, attributes[128];
	for (int i = 0; i < BYTES; i++)
		host[i] = (unsigned char)(i * 7 >> 3);
	OK(cudaMalloc((void **)&device, BYTES));
	OK(cudaMemcpy(device, host, BYTES, HTOD));
	OK(cudaMemcpy(back, device, BYTES, DTOH));
	CHECK(!memcmp(host, back, BYTES));
	OK(cudaMemset(device + 1, 0, BYTES - 2));
	OK(cudaMemcpy(back, device, BYTES, DTOH));
	CHECK(back[0] == host[0] && back[1] == 0 && back[BYTES - 2] == 0);
	CHECK(back[BYTES - 1] == host[BYTES - 1]);
	OK(cudaMemcpy2D(device, 512, host, 100, 100, 3, HTOD));
	OK(cudaMemcpy(back, device, 1200, DTOH));
	CHECK(!memcmp(back + 1024, host + 200, 100));
	OK(cudaPointerGetAttributes(attributes, device + 5));
	CHECK(*(int *)attributes == 2 && *(int *)(attributes + 4) == 0);
	OK(cudaPointerGetAttributes(attributes, host));
	CHECK(*(int *)attributes == 0);
	OK(cudaFree(device));
	CHECK(cudaFree(device) == 1 && cudaGetLastError() == 1 && cudaGetLastError() == 0);
	free(host);
	free(back);
}

static void case_stream_order(void)
{
	void *stream;
	OK(cudaStreamCreateWithFlags(&stream, NON_BLOCKING));
	watch();
	close_gate(stream);
	OK(launch_on((void *)slow, 1000, stream));
	OK(launch_on((void *)plain, 1000, stream));
	CHECK(cudaStreamQuery(stream) == 600 && cudaGetLastError() == 600);
	open_gate();
	OK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamQuery(stream) == 0);
	watched();
	const struct sim_record *first = op_named("slow", 0), *second = op_named("plain", 0);
	CHECK(first->end_ns - first->start_ns == SLOW);
	CHECK(second->start_ns - first->end_ns == GAP && second->end_ns - second->start_ns == KERNEL);
	CHECK(first->correlation && second->correlation > first->correlation);
	CHECK(first->grid[0] == 1000 && first->block[0] == 128 && first->stream == second->stream);
	OK(cudaStreamDestroy(stream));
	CHECK(cudaStreamSynchronize(stream) == 400);
}

static void case_latency(void)
{
	void *stream;
	OK(cudaStreamCreateWithFlags(&stream, NON_BLOCKING));
	watch();
	OK(launch_on((void *)blocks, 300, stream));
	OK(cudaStreamSynchronize(stream));
	watched();
	const struct sim_record *op = op_named("blocks", 0);
	CHECK(op->end_ns - op->start_ns == 1000 + 300 * 10);
	int64_t begin_ns = 0, end_ns = 0;
	for (unsigned i = 0; i < n_calls; i++)
		if (!strcmp(calls[i].function, "cuLaunchKernel"))
			*(calls[i].data == 1 ? &begin_ns : &end_ns) = calls[i].begin_ns;
	CHECK(op->start_ns >= begin_ns + LATENCY);
	CHECK(n_syncs == 1 && syncs[0].kind == SIM_SYNC_STREAM && syncs[0].stream == op->stream);
	CHECK(syncs[0].end_ns >= op->end_ns);
	OK(cudaStreamDestroy(stream));
}

/* Blocking streams wait for the legacy one and it for them; a non-blocking one does not. */
static void case_legacy(void)
{
	void *blocking, *free_one;
	OK(cudaStreamCreate(&blocking));
	OK(cudaStreamCreateWithFlags(&free_one, NON_BLOCKING));
	watch();
	close_gate(blocking);
	OK(launch_on((void *)slow, 1, blocking));
	OK(launch_on((void *)plain, 1, NULL));
	OK(launch_on((void *)plain, 1, blocking));
	OK(launch_on((void *)blocks, 1, free_one));
	OK(cudaStreamSynchronize(free_one)); /* the gate is still closed */
	CHECK(cudaStreamQuery(NULL) == 600 && cudaStreamQuery(blocking) == 600);
	cudaGetLastError();
	open_gate();
	OK(cudaStreamSynchronize(NULL));
	OK(cudaDeviceSynchronize());
	watched();
	const struct sim_record *before = op_named("slow", 0), *legacy = op_named("plain", 0);
	const struct sim_record *after = op_named("plain", 1), *other = op_named("blocks", 0);
	CHECK(legacy->stream == 7 && legacy->start_ns >= before->end_ns);
	CHECK(after->start_ns >= legacy->end_ns);
	CHECK(other->end_ns < before->start_ns);
	OK(cudaStreamDestroy(blocking));
	OK(cudaStreamDestroy(free_one));
}

static void case_events(void)
{
	void *a, *b, *from, *to;
	float ms = 0;
	OK(cudaStreamCreateWithFlags(&a, NON_BLOCKING));
	OK(cudaStreamCreateWithFlags(&b, NON_BLOCKING));
	OK(cudaEventCreate(&from));
	OK(cudaEventCreate(&to));
	CHECK(cudaEventElapsedTime(&ms, from, to) == 400);
	cudaGetLastError();
	watch();
	close_gate(a);
	OK(launch_on((void *)plain, 1, a));
	OK(cudaEventRecord(from, a));
	OK(launch_on((void *)slow, 1, a));
	OK(cudaEventRecord(to, a));
	OK(cudaStreamWaitEvent(b, to, 0));
	OK(launch_on((void *)blocks, 1, b));
	CHECK(cudaEventQuery(to) == 600 && cudaEventElapsedTime(&ms, from, to) == 600);
	cudaGetLastError();
	open_gate();
	OK(cudaEventSynchronize(to));
	OK(cudaEventElapsedTime(&ms, from, to));
	OK(cudaStreamSynchronize(b));
	watched();
	CHECK(ms > 2.99f && ms < 3.01f);
	CHECK(op_named("blocks", 0)->start_ns >= op_named("slow", 0)->end_ns);
	CHECK(n_syncs == 3 && syncs[0].kind == SIM_SYNC_STREAM_WAIT);
	CHECK(syncs[1].kind == SIM_SYNC_EVENT && syncs[0].event == syncs[1].event);
}

static int host_ran;
static pthread_t host_thread;

static void host_function(void *data)
{
	usleep(2000);
	host_thread = pthread_self();
	host_ran += *(int *)data;
}

static void case_host_function(void)
{
	void *stream;
	int one = 1;
	OK(cudaStreamCreateWithFlags(&stream, NON_BLOCKING));
	watch();
	close_gate(stream);
	OK(launch_on((void *)plain, 1, stream));
	OK(cudaLaunchHostFunc(stream, host_function, &one));
	OK(launch_on((void *)blocks, 1, stream));
	CHECK(!host_ran);
	open_gate();
	OK(cudaStreamSynchronize(stream));
	CHECK(host_ran == 1 && !pthread_equal(host_thread, pthread_self()));
	watched();
	CHECK(op_named("blocks", 0)->start_ns - op_named("plain", 0)->end_ns >= 2000000);
	OK(cudaStreamDestroy(stream));
}

/* slow on one stream, blocks on another that joined by an event, then plain on the first. */
static void *captured(void *a, void *b, void *fork_event, void *join_event)
{
	void *graph = NULL;
	OK(cudaStreamBeginCapture(a, 0));
	OK(launch_on((void *)plain, 1, a));
	OK(cudaEventRecord(fork_event, a));
	OK(cudaStreamWaitEvent(b, fork_event, 0));
	OK(launch_on((void *)slow, 1, a));
	OK(launch_on((void *)blocks, 1, b));
	OK(cudaEventRecord(join_event, b));
	OK(cudaStreamWaitEvent(a, join_event, 0));
	OK(launch_on((void *)plain, 1, a));
	OK(cudaStreamEndCapture(a, &graph));
	return graph;
}

static void case_graph(void)
{
	void *a, *b, *fork_event, *join_event, *exec;
	OK(cudaStreamCreateWithFlags(&a, NON_BLOCKING));
	OK(cudaStreamCreateWithFlags(&b, NON_BLOCKING));
	OK(cudaEventCreate(&fork_event));
	OK(cudaEventCreate(&join_event));
	watch();
	void *graph = captured(a, b, fork_event, join_event);
	OK(cudaStreamSynchronize(a));
	CHECK(simgpu_settle(5000) && n_ops == 0); /* captured, not executed */
	OK(cudaGraphInstantiate(&exec, graph, 0));
	OK(cudaGraphDestroy(graph));
	close_gate(a);
	OK(launch_on((void *)blocks, 7, a));
	OK(cudaGraphLaunch(exec, a));
	OK(launch_on((void *)blocks, 9, a));
	open_gate();
	OK(cudaStreamSynchronize(a));
	watched();
	const struct sim_record *first = op_named("plain", 0), *last = op_named("plain", 1);
	const struct sim_record *before = op_named("blocks", 0), *beside = op_named("blocks", 1);
	const struct sim_record *after = op_named("blocks", 2), *branch = op_named("slow", 0);
	CHECK(n_ops == 6 && first->start_ns == before->end_ns + GAP);
	CHECK(branch->start_ns == first->end_ns + 500 && beside->start_ns == first->end_ns + 500);
	CHECK(last->start_ns == branch->end_ns + 500 && after->start_ns >= last->end_ns);
	CHECK(first->graph && first->graph == last->graph && !after->graph);
	CHECK(first->graph_node && first->graph_node != last->graph_node);
	CHECK(first->correlation == last->correlation && first->correlation != after->correlation);
	OK(cudaGraphExecDestroy(exec));
}

/* A stream of a capture that does not come back, a synchronisation inside: errors, both. */
static void case_capture_errors(void)
{
	void *a, *b, *event, *graph = NULL;
	OK(cudaStreamCreateWithFlags(&a, NON_BLOCKING));
	OK(cudaStreamCreateWithFlags(&b, NON_BLOCKING));
	OK(cudaEventCreate(&event));
	OK(cudaStreamBeginCapture(a, 0));
	OK(launch_on((void *)plain, 1, a));
	OK(cudaEventRecord(event, a));
	OK(cudaStreamWaitEvent(b, event, 0));
	OK(launch_on((void *)plain, 1, b));
	CHECK(cudaStreamEndCapture(a, &graph) == 904 && !graph);
	OK(cudaStreamBeginCapture(a, 0));
	CHECK(cudaStreamSynchronize(a) == 900);
	CHECK(launch_on((void *)plain, 1, a) == 901);
	CHECK(cudaStreamEndCapture(a, &graph) == 901 && !graph);
	CHECK(!strcmp(cudaGetErrorName(904), "cudaErrorStreamCaptureUnjoined"));
	cudaGetLastError();
	OK(launch_on((void *)plain, 1, a));
	OK(cudaStreamSynchronize(b));
}

/* The queue holds 1,024; a launch beyond waits until one started. */
static void case_back_pressure(void)
{
	void *stream;
	OK(cudaStreamCreateWithFlags(&stream, NON_BLOCKING));
	int64_t begin_ns = simgpu_now_ns();
	for (int i = 0; i < 1024 + 500; i++)
		OK(launch_on((void *)plain, 1, stream));
	int64_t launched_ns = simgpu_now_ns();
	CHECK(launched_ns - begin_ns >= 499 * (KERNEL + GAP)); /* 500 started */
	OK(cudaStreamSynchronize(stream));
	CHECK(simgpu_now_ns() - begin_ns >= 1523 * (KERNEL + GAP));
	OK(cudaStreamDestroy(stream));
}

static unsigned call_at(unsigned i, const char *function, unsigned what)
{
	CHECK(i < n_calls && !strcmp(calls[i].function, function) && calls[i].data == what);
	return i < n_calls ? calls[i].correlation : 0;
}

static void case_observer_order(void)
{
	void *module, *kernel, *by_stub;
	OK(cuModuleLoadData(&module, "image"));
	OK(cuModuleGetFunction(&kernel, module, "triton_kernel"));
	OK(__cudaGetKernel(&by_stub, (void *)plain));
	watch();
	OK(launch_on((void *)plain, 1, NULL));
	OK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL));
	OK(__cudaLaunchKernel(by_stub, (struct dim){1, 1, 1}, (struct dim){1, 1, 1}, NULL, 0, NULL));
	CHECK(launch_on((void *)plain, 0, NULL) == 9);
	watched();
	cudaGetLastError();
	unsigned runtime = call_at(0, "cudaLaunchKernel", 1);
	CHECK(call_at(1, "cuLaunchKernel", 1) == runtime && call_at(2, "cuLaunchKernel", 2) == runtime);
	CHECK(call_at(3, "cudaLaunchKernel", 2) == runtime);
	unsigned alone = call_at(4, "cuLaunchKernel", 1);
	CHECK(alone != runtime && call_at(5, "cuLaunchKernel", 2) == alone);
	call_at(6, "__cudaLaunchKernel", 1);
	CHECK(calls[0].domain == SIM_RUNTIME && calls[0].cbid == 211 && calls[6].cbid == 505);
	CHECK(calls[1].domain == SIM_DRIVER && calls[1].cbid == 307);
	CHECK(!strcmp(calls[1].symbol, "_Z5plainPf") && !strcmp(calls[4].symbol, "triton_kernel"));
	CHECK(n_calls == 14 && calls[13].result == 9 && calls[12].result == 1);
	CHECK(n_ops == 3 && op_named("triton", 0)->correlation == alone);
	CHECK(!op_on_main_thread && !call_off_thread);
}

static void case_copies(void)
{
	void *pinned, *device, *stream;
	char pageable[1000];
	enum { BYTES = 50 << 20 };
	OK(cudaHostAlloc(&pinned, BYTES, 0));
	OK(cudaMalloc(&device, BYTES));
	OK(cudaStreamCreateWithFlags(&stream, NON_BLOCKING));
	watch();
	close_gate(stream);
	OK(cudaMemcpyAsync(device, pinned, BYTES, HTOD, stream)); /* waited, it would never return */
	CHECK(cudaStreamQuery(stream) == 600);
	open_gate();
	OK(cudaMemcpyAsync(pageable, device, sizeof(pageable), DTOH, stream));
	CHECK(cudaStreamQuery(stream) == 0); /* pageable: the call waited */
	cudaGetLastError();
	watched();
	CHECK(n_ops == 2 && ops[0].copy_kind == 1 && ops[0].source_kind == 2);
	CHECK(ops[0].target_kind == 3 && ops[0].bytes == BYTES && ops[1].target_kind == 1);
	CHECK(ops[0].end_ns - ops[0].start_ns > 2000000 && ops[1].start_ns >= ops[0].end_ns);
	OK(cudaFree(device));
}

static uint64_t launches_of(uint64_t tid)
{
	struct sim_count counts[64];
	unsigned n = simgpu_launches(counts, 64);
	for (unsigned i = 0; i < n && i < 64; i++)
		if (counts[i].key == tid)
			return counts[i].n;
	return 0;
}

static uint64_t all_ops(void)
{
	struct sim_count counts[4096];
	uint64_t sum = 0;
	unsigned n = simgpu_ops(counts, 4096);
	for (unsigned i = 0; i < n && i < 4096; i++)
		sum += counts[i].n;
	return sum;
}

enum { THREADS = 16, EACH = 400 };

static void *launcher(void *who)
{
	void *stream;
	uint64_t *counted = who;
	OK(cudaSetDevice((int)(*counted % 2)));
	OK(cudaStreamCreateWithFlags(&stream, NON_BLOCKING));
	for (int i = 0; i < EACH; i++)
		OK(launch_on((void *)blocks, 1, i % 8 ? stream : (void *)2));
	OK(cudaDeviceSynchronize());
	*counted = launches_of((uint64_t)syscall(SYS_gettid));
	OK(cudaStreamDestroy(stream));
	return NULL;
}

static void case_threads(void)
{
	pthread_t threads[THREADS];
	uint64_t counted[THREADS], before = all_ops();
	for (uint64_t i = 0; i < THREADS; i++) {
		counted[i] = i;
		pthread_create(&threads[i], NULL, launcher, &counted[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		CHECK(counted[i] >= EACH && counted[i] % EACH == 0); /* a thread id may come back */
	}
	CHECK(all_ops() - before == THREADS * EACH);
}

static int64_t external_started_ns;

static void external_started(void *who, int64_t start_ns)
{
	__atomic_store_n((int64_t *)who, start_ns, __ATOMIC_RELEASE);
}

static void case_external(void)
{
	void *stream;
	OK(cudaStreamCreateWithFlags(&stream, NON_BLOCKING));
	CHECK(simgpu_stream_device(stream) == 0 && simgpu_stream_device(&stream) == -1);
	struct sim_external external = {"ncclDevKernel_AllReduce", stream, 24, external_started,
									&external_started_ns};
	watch();
	OK(launch_on((void *)plain, 1, stream));
	struct sim_external_op *op = simgpu_launch_external(&external);
	CHECK(op != NULL);
	OK(launch_on((void *)blocks, 1, stream));
	while (!__atomic_load_n(&external_started_ns, __ATOMIC_ACQUIRE))
		usleep(100);
	CHECK(cudaStreamQuery(stream) == 600);
	cudaGetLastError();
	int64_t end_ns = simgpu_now_ns() + 3000000;
	simgpu_end_external(op, end_ns);
	OK(cudaStreamSynchronize(stream));
	watched();
	const struct sim_record *nccl = op_named("AllReduce", 0);
	CHECK(nccl->start_ns == external_started_ns && nccl->end_ns == end_ns);
	CHECK(nccl->start_ns >= op_named("plain", 0)->end_ns);
	CHECK(op_named("blocks", 0)->start_ns >= end_ns && nccl->correlation);
	OK(cudaStreamBeginCapture(stream, 2));
	CHECK(simgpu_launch_external(&external) == NULL);
	void *graph;
	OK(cudaStreamEndCapture(stream, &graph));
}

static void case_entry_points(void)
{
	void *legacy, *own, *none = &none;
	int status;
	OK(cuGetProcAddress_v2("cuLaunchKernel", &legacy, 12000, 0, &status));
	OK(cuGetProcAddress_v2("cuLaunchKernel", &own, 12000, 2, &status));
	CHECK(legacy && own && legacy != own);
	CHECK(dlsym(RTLD_DEFAULT, "cuLaunchKernel_ptsz") == own);
	CHECK(cuGetProcAddress_v2("cuNoSuchEntry", &none, 12000, 0, &status) == 500);
	CHECK(!none && status == 1);
	OK(cuGetProcAddress_v2("cuMemAlloc", &legacy, 12000, 0, &status));
	CHECK(legacy == dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"));
	OK(cuGetProcAddress_v2("cuGetProcAddress", &legacy, 11030, 0, &status));
	CHECK(legacy == dlsym(RTLD_DEFAULT, "cuGetProcAddress"));
}

static void case_fork(void)
{
	pid_t child = fork();
	if (child == 0) {
		void *stream;
		int n;
		_exit(cudaGetDeviceCount(&n) == 3 && cudaStreamCreate(&stream) == 3 ? 0 : 1);
	}
	int status = -1;
	waitpid(child, &status, 0);
	CHECK(status == 0);
}

/* The process ends while a collective waits for its peers and a thread for the collective. */
static void *wait_for_ever(void *stream)
{
	cudaStreamSynchronize(stream);
	return NULL;
}

static void leave_unfinished(void)
{
	void *stream;
	pthread_t thread;
	struct sim_external external = {"ncclDevKernel_Broadcast", NULL, 1, NULL, NULL};
	OK(cudaStreamCreateWithFlags(&stream, NON_BLOCKING));
	external.stream = stream;
	CHECK(simgpu_launch_external(&external) != NULL);
	pthread_create(&thread, NULL, wait_for_ever, stream);
	usleep(20000);
	CHECK(!simgpu_settle(10));
}

static void context_ends(enum sim_resource_kind kind, void *context, uint32_t id)
{
	(void)context;
	if (kind == SIM_CONTEXT_DESTROY_STARTING)
		printf("context %u ends\n", id);
}

static void print_throughput(void)
{
	enum { N = 300000 };
	int64_t begin_ns = simgpu_now_ns();
	for (int i = 0; i < N; i++)
		launch_on((void *)plain, 1000, NULL);
	cudaDeviceSynchronize();
	double seconds = (double)(simgpu_now_ns() - begin_ns) / 1e9;
	printf("%.2f M launches/s on one thread, nothing to wait for\n", N / seconds / 1e6);
}

int main(int argc, char **argv)
{
	int devices;
	main_thread = pthread_self();
	CHECK(!simgpu_ready());
	simgpu_observe(&observer);
	OK(cudaGetDeviceCount(&devices));
	CHECK(simgpu_ready() && n_contexts == 0);
	register_kernels();
	OK(cudaSetDevice(0));
	CHECK(n_contexts == 1);
	simgpu_observe(NULL);
	if (argc > 1 && !strcmp(argv[1], "throughput")) {
		print_throughput();
		return failures != 0;
	}
	if (argc > 1 && !strcmp(argv[1], "leave")) {
		static const struct sim_observer at_exit = {.resource = context_ends};
		leave_unfinished();
		simgpu_observe(&at_exit);
		return failures != 0;
	}
	CHECK(devices == 2 && simgpu_devices() == 2);
	void (*cases[])(void) = {case_memory,         case_stream_order,   case_latency,
							 case_legacy,         case_events,         case_host_function,
							 case_graph,          case_capture_errors, case_back_pressure,
							 case_observer_order, case_copies,         case_external,
							 case_entry_points,   case_fork,           case_threads};
	unsigned n = sizeof(cases) / sizeof(cases[0]);
	for (unsigned i = 0; i < n; i++)
		cases[i]();
	printf("%u cases, %d failures\n", n, failures);
	return failures != 0;
}
