#include "storm.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "kernels.h"

static void *launch_all(void *argument)
{
	const struct options *options = argument;
	struct launcher launcher = {.host_ns = options->host_ns, .percent = 100};

	check_cuda(cudaSetDevice(options->local_rank), "cudaSetDevice");
	check_cuda(cudaStreamCreateWithFlags(&launcher.stream, cudaStreamNonBlocking), "stream");
	for (long i = 0; i < options->launches; i++)
		kernel_launch(&launcher, (enum kernel)(i % KERNELS), 1);
	check_cuda(cudaStreamSynchronize(launcher.stream), "cudaStreamSynchronize");
	return NULL;
}

void storm_run(const struct options *options)
{
	pthread_t *threads = calloc((size_t)options->threads, sizeof *threads);

	check_system(!threads, "memory");
	for (int i = 0; i < options->threads; i++)
		check_system(pthread_create(&threads[i], NULL, launch_all, (void *)(uintptr_t)options),
					 "thread");
	for (int i = 0; i < options->threads; i++)
		pthread_join(threads[i], NULL);
	check_cuda(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
	printf("launches %ld threads %d\n", options->launches * options->threads, options->threads);
	free(threads);
}
