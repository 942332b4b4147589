/* Jobs whose work stands across a window's edge. Each waits until the recorder's threads have gone
 * before it ends: what it is recorded in is the end of a window, not of a process.
 *   window_job first N     its first CUDA call is a launch; N of them
 *   window_job copy N      an asynchronous copy of N MiB runs behind the window
 *   window_job blocked     a copy that blocks its thread returns behind the window
 *   window_job graph N     a graph of N kernels runs behind the window
 *   window_job collective  an NCCL call returns when the window is over and RING_DIR full
 * With -DNCCL: the NCCL of the last one. */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interfaces.h"

int after_the_window(void);

#ifdef NCCL

ncclResult_t pncclAllReduce(const void *send, void *recv, size_t count, int type, int op,
							ncclComm_t comm, cudaStream_t stream)
{
	(void)send, (void)recv, (void)count, (void)type, (void)op, (void)comm, (void)stream;
	return after_the_window();
}

ncclResult_t ncclAllReduce(const void *send, void *recv, size_t count, int type, int op,
						   ncclComm_t comm, cudaStream_t stream)
{
	return pncclAllReduce(send, recv, count, type, op, comm, stream);
}

#else

enum { MIB = 1 << 20 };

static char stub;
static void *device, *host;
static cudaStream_t stream;

static void check(int error, const char *what)
{
	if (error) {
		fprintf(stderr, "window_job: %s: %d\n", what, error);
		exit(1);
	}
}

__attribute__((constructor)) static void register_kernel(void)
{
	static const unsigned long long binary[2] = {0x00010000ba55ed50ull, 0};
	static struct {
		int magic, version;
		const void *binary;
		void *more;
	} wrapper = {0x466243b1, 1, binary, NULL};
	static char name[] = "_Z6kernelv";
	void **handle = __cudaRegisterFatBinary(&wrapper);
	__cudaRegisterFunction(handle, &stub, name, name, -1, NULL, NULL, NULL, NULL, NULL);
	__cudaRegisterFatBinaryEnd(handle);
}

static void launch(int n)
{
	dim3 one = {1, 1, 1};
	for (int i = 0; i < n; i++)
		check(cudaLaunchKernel(&stub, one, one, NULL, 0, stream), "cudaLaunchKernel");
}

static bool is_recorded(void)
{
	char path[300], name[32];
	bool found = false;
	DIR *tasks = opendir("/proc/self/task");
	for (struct dirent *task; tasks && (task = readdir(tasks));) {
		snprintf(path, sizeof(path), "/proc/self/task/%s/comm", task->d_name);
		FILE *file = fopen(path, "r");
		if (file && fgets(name, sizeof(name), file))
			found |= strncmp(name, "baton-writer", 12) == 0;
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return found;
}

/* Once its thread has its name. */
static void await_the_begin(void)
{
	for (int tries = 0; !is_recorded() && tries < 2000; tries++)
		usleep(10000);
	check(!is_recorded(), "the recorder has no thread");
}

static void await_the_end(void)
{
	for (int tries = 0; is_recorded() && tries < 2000; tries++)
		usleep(10000);
	check(is_recorded(), "the recorder's thread is still there");
}

/* Called in the midst of a call that began in the window. */
int after_the_window(void)
{
	static char page[4096];
	char path[300];
	check(cudaProfilerStop(), "cudaProfilerStop");
	await_the_end();
	snprintf(path, sizeof(path), "%s/filler", getenv("RING_DIR"));
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	while (write(fd, page, sizeof(page)) > 0)
		;
	close(fd);
	return 0;
}

static atomic_bool copying;

static void *copy(void *unused)
{
	char *pageable = calloc(1, MIB);
	atomic_store(&copying, true);
	check(cudaMemcpy(device, pageable, MIB, cudaMemcpyHostToDevice), "cudaMemcpy");
	free(pageable);
	return unused;
}

static void start_copy(pthread_t *thread)
{
	pthread_create(thread, NULL, copy, NULL);
	while (!atomic_load(&copying))
		usleep(1000);
	usleep(300000); /* now it is in the call, which takes seconds */
}

static cudaGraphExec_t make_graph(int kernels)
{
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), "capture");
	launch(kernels);
	check(cudaStreamEndCapture(stream, &graph), "capture's end");
	check(cudaGraphInstantiateWithFlags(&exec, graph, 0), "instantiate");
	return exec;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t thread;
	cudaGraphExec_t graph = NULL;

	if (strcmp(what, "first") == 0) {
		launch(n);
		check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
		return 0;
	}
	check(cudaMalloc(&device, (size_t)n * MIB), "cudaMalloc");
	check(cudaHostAlloc(&host, (size_t)n * MIB, 0), "cudaHostAlloc");
	check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
	if (strcmp(what, "graph") == 0)
		graph = make_graph(n);
	await_the_begin();
	check(cudaProfilerStart(), "cudaProfilerStart");
	if (strcmp(what, "copy") == 0)
		check(cudaMemcpyAsync(device, host, (size_t)n * MIB, cudaMemcpyHostToDevice, stream), what);
	else if (strcmp(what, "blocked") == 0)
		start_copy(&thread);
	else if (strcmp(what, "graph") == 0)
		check(cudaGraphLaunch(graph, stream), what);
	else
		launch(1);
	if (strcmp(what, "collective") == 0)
		check(ncclAllReduce(host, host, 1, ncclFloat32, ncclSum, NULL, stream), what);
	check(cudaProfilerStop(), "cudaProfilerStop");
	await_the_end();
	if (strcmp(what, "blocked") == 0)
		pthread_join(thread, NULL);
	puts("done");
	return 0;
}

#endif
