/* simcaller LIBRARY N T: T threads launch N kernels each the way LIBRARY does, and say so. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "caller.h"

enum { MOST = 64 };

static int (*launch)(unsigned n);
static _Atomic int failure;

static void *run(void *n)
{
	int status = launch((unsigned)(uintptr_t)n);

	if (status)
		atomic_store(&failure, status);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned n = argc == 4 ? (unsigned)atoi(argv[2]) : 0,
			 threads = argc == 4 ? (unsigned)atoi(argv[3]) : 0;
	void *library = argc == 4 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	pthread_t thread[MOST];

	if (library)
		*(void **)&launch = dlsym(library, "caller_launch");
	if (!launch || !n || !threads || threads > MOST) {
		fprintf(stderr, "usage: simcaller LIBRARY N T  (%s)\n",
				argc == 4 && !library ? dlerror() : "");
		return 2;
	}
	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)n))
			return 1;
	for (unsigned i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	if (atomic_load(&failure)) {
		fprintf(stderr, "simcaller: a launch failed with %d\n", atomic_load(&failure));
		return 1;
	}
	printf("launches %u threads %u\n", n * threads, threads);
	return 0;
}
