#include "dataparallel.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "loader.h"
#include "model.h"
#include "nvtx.h"
#include "worker.h"

struct replica {
	int device;
	struct model model;
	struct loader *loader;
	struct worker *worker;
	ncclComm_t comm;
	cudaStream_t stream;
	void *input, *weights, *gradient;
};

static void start_replica(struct replica *replica, const struct options *options, int device)
{
	bool slow = device == options->slow_rank;
	size_t bytes = (size_t)options->bucket_kib * 1024;

	replica->device = device;
	check_cuda(cudaSetDevice(device), "cudaSetDevice");
	check_cuda(cudaStreamCreateWithFlags(&replica->stream, cudaStreamNonBlocking), "stream");
	check_cuda(cudaMalloc(&replica->input, BATCH_BYTES), "cudaMalloc");
	check_cuda(cudaMalloc(&replica->weights, bytes), "cudaMalloc");
	check_cuda(cudaMalloc(&replica->gradient, bytes), "cudaMalloc");
	check_cuda(cudaMemsetAsync(replica->gradient, 0, bytes, replica->stream), "cudaMemsetAsync");
	replica->model =
		(struct model){.options = options,
					   .launcher = {.stream = replica->stream,
									.host_ns = options->host_ns,
									.percent = 100 + (slow ? options->slow_percent : 0)},
					   .scratch = replica->input};
	replica->loader = loader_start(options, device, options->devices);
	replica->worker = worker_start();
}

/* The same call for every device, as one group. */
static void together(const struct options *options, struct replica *replicas, bool reduce)
{
	size_t n = (size_t)options->bucket_kib * 256;

	check_nccl(ncclGroupStart(), "ncclGroupStart");
	for (int i = 0; i < options->devices; i++) {
		struct replica *one = &replicas[i];

		if (reduce)
			check_nccl(ncclReduce(one->gradient, one->gradient, n, ncclFloat32, ncclSum, 0,
								  one->comm, one->stream),
					   "ncclReduce");
		else
			check_nccl(ncclBroadcast(one->weights, one->weights, n, ncclFloat32, 0, one->comm,
									 one->stream),
					   "ncclBroadcast");
	}
	check_nccl(ncclGroupEnd(), "ncclGroupEnd");
}

static void nothing(void *who, int layer)
{
	(void)who;
	(void)layer;
}

static void compute(void *who)
{
	struct replica *replica = who;

	check_cuda(cudaSetDevice(replica->device), "cudaSetDevice");
	model_forward(&replica->model);
	model_backward(&replica->model, nothing, NULL);
	check_cuda(cudaMemcpyAsync(replica->gradient, replica->input, BATCH_BYTES,
							   cudaMemcpyDeviceToDevice, replica->stream),
			   "cudaMemcpyAsync");
}

static void scatter(const struct options *options, struct replica *replicas)
{
	for (int i = 0; i < options->devices; i++)
		check_cuda(cudaMemcpyAsync(replicas[i].input, dataloader_next(replicas[i].loader),
								   BATCH_BYTES, cudaMemcpyHostToDevice, replicas[i].stream),
				   "cudaMemcpyAsync");
}

static void train_step(const struct options *options, struct replica *replicas, int step,
					   float *result)
{
	char text[32];

	snprintf(text, sizeof text, "step %d", step);
	nvtx_push(text);
	scatter(options, replicas);
	together(options, replicas, false);
	for (int i = 0; i < options->devices; i++)
		worker_begin(replicas[i].worker, compute, &replicas[i]);
	for (int i = 0; i < options->devices; i++)
		worker_await(replicas[i].worker);
	together(options, replicas, true);
	check_cuda(cudaSetDevice(0), "cudaSetDevice");
	model_optimizer(&replicas[0].model);
	check_cuda(cudaMemcpyAsync(result, replicas[0].gradient, BATCH_BYTES, cudaMemcpyDeviceToHost,
							   replicas[0].stream),
			   "cudaMemcpyAsync");
	for (int i = options->devices - 1; i >= 0; i--)
		check_cuda(cudaStreamSynchronize(replicas[i].stream), "cudaStreamSynchronize");
	model_print_checksum(step, result, BATCH_FLOATS);
	nvtx_pop();
}

void dataparallel_train(const struct options *options)
{
	struct replica *replicas = calloc((size_t)options->devices, sizeof *replicas);
	ncclComm_t *comms = calloc((size_t)options->devices, sizeof(ncclComm_t));
	float *result;

	check_system(!replicas || !comms, "memory");
	for (int i = 0; i < options->devices; i++)
		start_replica(&replicas[i], options, i);
	check_nccl(ncclCommInitAll(comms, options->devices, NULL), "ncclCommInitAll");
	for (int i = 0; i < options->devices; i++)
		replicas[i].comm = comms[i];
	check_cuda(cudaHostAlloc((void **)&result, BATCH_BYTES, 0), "cudaHostAlloc");
	for (int step = 0; step < options->steps; step++)
		train_step(options, replicas, step, result);
	for (int i = 0; i < options->devices; i++) {
		loader_stop(replicas[i].loader);
		worker_stop(replicas[i].worker);
		check_nccl(ncclCommDestroy(comms[i]), "ncclCommDestroy");
	}
	free(comms);
	free(replicas);
}
