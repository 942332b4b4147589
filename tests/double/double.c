/* The doubles by their public interface alone: order, latencies, back-pressure, counts, what the
 * observer sees. Times are the simulated devices' own, so nothing depends on how fast this machine
 * is; throughput is printed. Links with libcudart.so.13 and libcuda.so.1. Run with
 * SIMGPU_KERNEL_NS=20000 SIMGPU_LATENCY_NS=4000 SIMGPU_GAP_NS=1000 SIMGPU_GRAPH_GAP_NS=500
 * SIMGPU_DURATIONS="slow=3000000;blocks=1000+10" SIMGPU_DEVICES=2. */
#include "double_cases.h"
#include "doubles/external.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int failures;

void check(int ok, const char *what, const char *file, int line)
{
	if (ok)
		return;
	failures++;
	printf("%s:%d: %s\n", file, line, what);
}

/* ---- kernels, and what the observer saw ---- */

void plain(void)
{
}
void slow(void)
{
}
void blocks(void)
{
}

static void register_kernels(void)
{
	__cudaRegisterFunction(NULL, (const char *)plain, NULL, "_Z5plainPf", 0, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(NULL, (const char *)slow, NULL, "_Z4slowPf", 0, 0, 0, 0, 0, 0);
	__cudaRegisterFunction(NULL, (const char *)blocks, NULL, "_Z6blocksPf", 0, 0, 0, 0, 0, 0);
}

int launch_on(const void *kernel, unsigned grid, void *stream)
{
	return cudaLaunchKernel(kernel, (struct dim){grid, 1, 1}, (struct dim){128, 1, 1}, NULL, 0,
							stream);
}

struct sim_record ops[SEEN];
struct sim_call calls[SEEN];
struct sim_sync syncs[SEEN];
unsigned n_ops, n_calls, n_syncs, n_contexts;
static pthread_mutex_t seen_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_t main_thread;
int op_on_main_thread, call_off_thread;

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

void watch(void)
{
	CHECK(simgpu_settle(5000));
	pthread_mutex_lock(&seen_lock);
	n_ops = n_calls = n_syncs = 0;
	pthread_mutex_unlock(&seen_lock);
	simgpu_observe(&observer);
}

void watched(void)
{
	CHECK(simgpu_settle(5000));
	simgpu_observe(NULL);
}

const struct sim_record *op_named(const char *name, unsigned nth)
{
	static const struct sim_record none;
	for (unsigned i = 0; i < n_ops; i++)
		if (ops[i].name && strstr(ops[i].name, name) && nth-- == 0)
			return &ops[i];
	check(0, name, __FILE__, __LINE__);
	return &none;
}

static int gate_open;

void gate(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&gate_open, __ATOMIC_ACQUIRE))
		usleep(200);
}

void close_gate(void *stream)
{
	__atomic_store_n(&gate_open, 0, __ATOMIC_RELEASE);
	OK(cudaLaunchHostFunc(stream, gate, NULL));
}

void open_gate(void)
{
	__atomic_store_n(&gate_open, 1, __ATOMIC_RELEASE);
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
