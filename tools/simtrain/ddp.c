#include "ddp.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "busy.h"
#include "check.h"
#include "loader.h"
#include "meet.h"
#include "model.h"
#include "nvtx.h"
#include "worker.h"

enum { BESIDE_LAUNCHES = 64 };

struct beside { /* a thread that launches small kernels on a stream of its own */
	struct worker *worker;
	struct launcher launcher;
	int device;
};

struct ddp {
	const struct options *options;
	struct model model;
	struct loader *loader;
	ncclComm_t comm;
	cudaStream_t compute, reduce;
	cudaEvent_t ready, reduced;
	cudaGraphExec_t graph;
	void *input, **bucket;
	float *result; /* pinned */
	struct worker *autograd;
	struct beside *beside;
};

static size_t bucket_floats(const struct ddp *ddp)
{
	return (size_t)ddp->options->bucket_kib * 256;
}

static void make_buffers(struct ddp *ddp)
{
	int buckets = ddp->options->buckets;
	size_t bytes = bucket_floats(ddp) * sizeof(float);

	check_cuda(cudaMalloc(&ddp->input, BATCH_BYTES), "cudaMalloc");
	ddp->bucket = calloc((size_t)buckets, sizeof *ddp->bucket);
	check_system(!ddp->bucket, "memory");
	for (int i = 0; i < buckets; i++) {
		check_cuda(cudaMalloc(&ddp->bucket[i], bytes), "cudaMalloc");
		check_cuda(cudaMemsetAsync(ddp->bucket[i], 0, bytes, ddp->compute), "cudaMemsetAsync");
	}
	check_cuda(cudaHostAlloc((void **)&ddp->result, (size_t)buckets * BATCH_BYTES, 0),
			   "cudaHostAlloc");
	ddp->model.scratch = ddp->input;
}

static void start_beside(struct ddp *ddp)
{
	int n = ddp->options->threads - 2;

	if (ddp->options->threads >= 2)
		ddp->autograd = worker_start();
	ddp->beside = calloc(n > 0 ? (size_t)n : 1, sizeof *ddp->beside);
	check_system(!ddp->beside, "memory");
	for (int i = 0; i < n; i++) {
		struct beside *beside = &ddp->beside[i];

		beside->worker = worker_start();
		beside->launcher = ddp->model.launcher;
		beside->device = ddp->options->local_rank;
		check_cuda(cudaStreamCreateWithFlags(&beside->launcher.stream, cudaStreamNonBlocking),
				   "cudaStreamCreateWithFlags");
	}
}

static void capture_forward(struct ddp *ddp)
{
	cudaGraph_t graph;

	check_cuda(cudaStreamBeginCapture(ddp->compute, cudaStreamCaptureModeRelaxed),
			   "cudaStreamBeginCapture");
	model_forward(&ddp->model);
	check_cuda(cudaStreamEndCapture(ddp->compute, &graph), "cudaStreamEndCapture");
	check_cuda(cudaGraphInstantiateWithFlags(&ddp->graph, graph, 0), "cudaGraphInstantiate");
}

static void start(struct ddp *ddp, const struct options *options)
{
	bool slow = options->rank == options->slow_rank;

	*ddp = (struct ddp){.options = options};
	check_cuda(cudaSetDevice(options->local_rank), "cudaSetDevice");
	check_cuda(cudaStreamCreateWithFlags(&ddp->compute, cudaStreamNonBlocking), "stream");
	check_cuda(cudaStreamCreateWithFlags(&ddp->reduce, cudaStreamNonBlocking), "stream");
	check_cuda(cudaEventCreateWithFlags(&ddp->ready, cudaEventDisableTiming), "event");
	check_cuda(cudaEventCreateWithFlags(&ddp->reduced, cudaEventDisableTiming), "event");
	ddp->model = (struct model){.options = options,
								.launcher = {.stream = ddp->compute,
											 .host_ns = options->host_ns,
											 .percent = 100 + (slow ? options->slow_percent : 0)}};
	make_buffers(ddp);
	ddp->loader = loader_start(options, options->rank, options->ranks);
	ddp->comm = meet_others(options->rank, options->ranks);
	start_beside(ddp);
	if (options->graph)
		capture_forward(ddp);
}

static void forward(struct ddp *ddp)
{
	const float *batch = dataloader_next(ddp->loader);

	check_cuda(
		cudaMemcpyAsync(ddp->input, batch, BATCH_BYTES, cudaMemcpyHostToDevice, ddp->compute),
		"cudaMemcpyAsync");
	nvtx_phase_push("forward");
	if (ddp->graph)
		check_cuda(cudaGraphLaunch(ddp->graph, ddp->compute), "cudaGraphLaunch");
	else
		model_forward(&ddp->model);
	nvtx_phase_pop();
}

/* A bucket is full: it is reduced on the other stream while the pass goes on. */
static void reduce_bucket(struct ddp *ddp, int which)
{
	void *bucket = ddp->bucket[which];

	check_cuda(
		cudaMemcpyAsync(bucket, ddp->input, BATCH_BYTES, cudaMemcpyDeviceToDevice, ddp->compute),
		"cudaMemcpyAsync");
	check_cuda(cudaEventRecord(ddp->ready, ddp->compute), "cudaEventRecord");
	check_cuda(cudaStreamWaitEvent(ddp->reduce, ddp->ready, 0), "cudaStreamWaitEvent");
	check_nccl(ncclAllReduce(bucket, bucket, bucket_floats(ddp), ncclFloat32, ncclSum, ddp->comm,
							 ddp->reduce),
			   "ncclAllReduce");
}

static void layer_done(void *who, int layer)
{
	struct ddp *ddp = who;
	int layers = ddp->options->layers, buckets = ddp->options->buckets;
	int full = (layers - layer) * buckets / layers;

	if (full > (layers - layer - 1) * buckets / layers)
		reduce_bucket(ddp, full - 1);
}

static void backward(void *who)
{
	struct ddp *ddp = who;

	check_cuda(cudaSetDevice(ddp->options->local_rank), "cudaSetDevice");
	nvtx_phase_push("backward");
	model_backward(&ddp->model, layer_done, ddp);
	nvtx_phase_pop();
	check_cuda(cudaEventRecord(ddp->reduced, ddp->reduce), "cudaEventRecord");
}

static void launch_beside(void *who)
{
	struct beside *beside = who;

	check_cuda(cudaSetDevice(beside->device), "cudaSetDevice");
	for (int i = 0; i < BESIDE_LAUNCHES; i++)
		kernel_launch(&beside->launcher, K_ADD, 1);
	check_cuda(cudaStreamSynchronize(beside->launcher.stream), "cudaStreamSynchronize");
}

static void update(struct ddp *ddp, int step)
{
	int buckets = ddp->options->buckets;

	check_cuda(cudaStreamWaitEvent(ddp->compute, ddp->reduced, 0), "cudaStreamWaitEvent");
	nvtx_phase_push("optimizer");
	model_optimizer(&ddp->model);
	nvtx_phase_pop();
	for (int i = 0; i < buckets; i++)
		check_cuda(cudaMemcpyAsync(ddp->result + (size_t)i * BATCH_FLOATS, ddp->bucket[i],
								   BATCH_BYTES, cudaMemcpyDeviceToHost, ddp->compute),
				   "cudaMemcpyAsync");
	check_cuda(cudaStreamSynchronize(ddp->compute), "cudaStreamSynchronize");
	if (ddp->options->rank == 0)
		model_print_checksum(step, ddp->result, (size_t)buckets * BATCH_FLOATS);
}

static void train_step(struct ddp *ddp, int step)
{
	const struct options *options = ddp->options;
	char text[32];

	snprintf(text, sizeof text, "step %d", step);
	nvtx_push(text);
	for (int i = 0; i < options->threads - 2; i++)
		worker_begin(ddp->beside[i].worker, launch_beside, &ddp->beside[i]);
	forward(ddp);
	if (step == options->profile_from)
		check_cuda(cudaProfilerStart(), "cudaProfilerStart");
	if (step == options->profile_to)
		check_cuda(cudaProfilerStop(), "cudaProfilerStop");
	if (options->rank == options->kill_rank && step == options->kill_step)
		kill(getpid(), SIGKILL);
	if (options->rank == options->late_rank)
		busy_ns((long)(options->late_ms * 1e6));
	if (ddp->autograd) {
		worker_begin(ddp->autograd, backward, ddp);
		worker_await(ddp->autograd);
	} else {
		backward(ddp);
	}
	for (int i = 0; i < options->threads - 2; i++)
		worker_await(ddp->beside[i].worker);
	update(ddp, step);
	nvtx_pop();
}

void ddp_train(const struct options *options)
{
	struct ddp ddp;

	start(&ddp, options);
	for (int step = 0; step < options->steps; step++)
		train_step(&ddp, step);
	loader_stop(ddp.loader);
	if (ddp.autograd)
		worker_stop(ddp.autograd);
	for (int i = 0; i < options->threads - 2; i++)
		worker_stop(ddp.beside[i].worker);
	check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
	check_nccl(ncclCommDestroy(ddp.comm), "ncclCommDestroy");
	free(ddp.bucket);
	free(ddp.beside);
}
