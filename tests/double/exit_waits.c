/* A process that ends while the engine's thread has deliveries to make and somebody waits for them:
 * the handler that joins who waits comes after the driver's own. Prints "waited to the end: no". */
#include "doubles/observe.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuMemAlloc_v2(void **, size_t);
int cuMemsetD8Async(void *, unsigned char, size_t, void *);

static pthread_t flusher;
static atomic_bool delivering, flushing, joined;

/* Keeps the engine's thread until all is over. */
static void hear(const struct sim_record *record)
{
	(void)record;
	atomic_store(&delivering, true);
	while (!atomic_load(&joined))
		usleep(1000);
}

static void *flush(void *in_vain)
{
	atomic_store(&flushing, true);
	*(int *)in_vain = !simgpu_observed(15000);
	return NULL;
}

static void join(void)
{
	pthread_join(flusher, NULL);
	atomic_store(&joined, true);
}

static int in_vain;

static void tell(void)
{
	printf("waited to the end: %s\n", in_vain ? "yes" : "no");
}

int main(void)
{
	static const struct sim_observer observer = {.op = hear};
	void *context, *memory;

	atexit(tell);
	atexit(join);
	if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
		cuMemAlloc_v2(&memory, 256))
		return 1;
	simgpu_observe(&observer);
	if (cuMemsetD8Async(memory, 0, 256, NULL))
		return 1;
	while (!atomic_load(&delivering))
		usleep(1000);
	if (pthread_create(&flusher, NULL, flush, &in_vain))
		return 1;
	while (!atomic_load(&flushing))
		usleep(1000);
	usleep(20000); /* it sleeps there */
	return 0;
}
