/* Memory, streams, events, host functions: order and times. */
#include "double_cases.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void case_memory(void)
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

void case_stream_order(void)
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

void case_latency(void)
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
void case_legacy(void)
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

void case_events(void)
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

void case_host_function(void)
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
