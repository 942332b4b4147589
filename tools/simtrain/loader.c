#include "loader.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "check.h"
#include "interfaces.h"
#include "nvtx.h"

enum { QUEUE = 2, BUFFERS = QUEUE + 2, SAMPLES = 16 }; /* one in use, one still being copied */

struct loader {
	const struct options *options;
	int share, shares;
	float *buffer[BUFFERS];
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	unsigned made, taken;
	bool stop;
};

static void make_batch(const struct loader *loader, unsigned step, float *out)
{
	for (unsigned i = 0; i < BATCH_FLOATS; i++)
		out[i] = 0;
	for (unsigned sample = 0; sample < SAMPLES; sample++)
		if ((int)(sample % (unsigned)loader->shares) == loader->share)
			for (unsigned i = 0; i < BATCH_FLOATS; i++)
				out[i] += (float)((sample * 7 + step * 13 + i) % 97);
}

/* Batches that are all late come on one beat in all ranks: ranks that started 20 ms apart would
 * else wait for each other, and a rank be late beside the loader. */
static void stall(const struct options *options, unsigned step)
{
	struct timespec until;
	int64_t stall_ns = (int64_t)(options->stall_ms * 1e6), end_ns;

	if (stall_ns <= 0 || step % (unsigned)options->stall_every)
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	end_ns = until.tv_sec * INT64_C(1000000000) + until.tv_nsec + stall_ns;
	if (options->stall_every == 1)
		end_ns -= end_ns % stall_ns;
	until.tv_sec = end_ns / 1000000000;
	until.tv_nsec = end_ns % 1000000000;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* All ranks wait in the same step, for as long as what makes the file takes. */
static void await_file(const struct options *options, unsigned step)
{
	const struct timespec pause = {0, 5000000};

	if (options->batch_file && step == (unsigned)options->batch_step)
		while (access(options->batch_file, F_OK) != 0)
			nanosleep(&pause, NULL);
}

static void *dataloader_worker(void *argument)
{
	struct loader *loader = argument;

	pthread_mutex_lock(&loader->mutex);
	while (!loader->stop) {
		unsigned step = loader->made;

		if (step - loader->taken >= QUEUE) {
			pthread_cond_wait(&loader->changed, &loader->mutex);
			continue;
		}
		pthread_mutex_unlock(&loader->mutex);
		stall(loader->options, step);
		await_file(loader->options, step);
		make_batch(loader, step, loader->buffer[step % BUFFERS]);
		pthread_mutex_lock(&loader->mutex);
		loader->made++;
		pthread_cond_broadcast(&loader->changed);
	}
	pthread_mutex_unlock(&loader->mutex);
	return NULL;
}

struct loader *loader_start(const struct options *options, int share, int shares)
{
	struct loader *loader = calloc(1, sizeof *loader);

	check_system(!loader, "memory");
	loader->options = options;
	loader->share = share;
	loader->shares = shares;
	pthread_mutex_init(&loader->mutex, NULL);
	pthread_cond_init(&loader->changed, NULL);
	for (int i = 0; i < BUFFERS; i++)
		check_cuda(cudaHostAlloc((void **)&loader->buffer[i], BATCH_BYTES, 0), "cudaHostAlloc");
	check_system(pthread_create(&loader->thread, NULL, dataloader_worker, loader), "thread");
	return loader;
}

__attribute__((noinline)) const float *dataloader_next(struct loader *loader)
{
	const float *batch;

	if (loader->options->stall_range)
		nvtx_push("DataLoader");
	pthread_mutex_lock(&loader->mutex);
	while (loader->made == loader->taken)
		pthread_cond_wait(&loader->changed, &loader->mutex);
	batch = loader->buffer[loader->taken++ % BUFFERS];
	pthread_cond_broadcast(&loader->changed);
	pthread_mutex_unlock(&loader->mutex);
	if (loader->options->stall_range)
		nvtx_pop();
	return batch;
}

void loader_stop(struct loader *loader)
{
	pthread_mutex_lock(&loader->mutex);
	loader->stop = true;
	pthread_cond_broadcast(&loader->changed);
	pthread_mutex_unlock(&loader->mutex);
	pthread_join(loader->thread, NULL);
	free(loader);
}
