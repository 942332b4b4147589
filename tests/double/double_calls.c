/* Calls as an observer sees them; the launch queue, copies, threads, ops that end from outside,
 * entry points, forked children. */
#include "double_cases.h"
#include "doubles/external.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The queue holds 1,021; a launch beyond waits until one started. */
void case_back_pressure(void)
{
	void *stream;
	OK(cudaStreamCreateWithFlags(&stream, NON_BLOCKING));
	int64_t begin_ns = simgpu_now_ns();
	for (int i = 0; i < 1021 + 500; i++)
		OK(launch_on((void *)plain, 1, stream));
	int64_t launched_ns = simgpu_now_ns();
	CHECK(launched_ns - begin_ns >= 499 * (KERNEL + GAP)); /* 500 started */
	OK(cudaStreamSynchronize(stream));
	CHECK(simgpu_now_ns() - begin_ns >= 1520 * (KERNEL + GAP));
	OK(cudaStreamDestroy(stream));
}

static unsigned call_at(unsigned i, const char *function, unsigned what)
{
	CHECK(i < n_calls && !strcmp(calls[i].function, function) && calls[i].data == what);
	return i < n_calls ? calls[i].correlation : 0;
}

void case_observer_order(void)
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

void case_copies(void)
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

void case_threads(void)
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

void case_external(void)
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

void case_entry_points(void)
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

void case_fork(void)
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
