#include "doubles/runtime/driver_table.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

typedef int get_proc_address(const char *, void **, int, uint64_t, int *);

static struct driver_table tables[2];
static get_proc_address *get_proc;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void *find_or_say(const char *name, unsigned flags)
{
	void *function = NULL;
	int status;
	if (!get_proc || get_proc(name, &function, CUDART_MAJOR * 1000 + 80, flags, &status))
		fprintf(stderr, "simgpu: libcuda.so.1 has no %s\n", name);
	return function;
}

static void find_all(void)
{
	union {
		void *pointer;
		get_proc_address *function;
	} found = {NULL};
	void *library = dlopen("libcuda.so.1", RTLD_NOW);
	if (library)
		found.pointer = dlsym(library, "cuGetProcAddress_v2");
	get_proc = found.function;
	for (unsigned i = 0; i < 2; i++) {
#define DRIVER_FIND(name_, parameters_) \
	*(void **)(void *)&tables[i].name_ = find_or_say(#name_, i ? 2 : 1);
		DRIVER_CALLS(DRIVER_FIND)
#undef DRIVER_FIND
	}
}

const struct driver_table *driver(bool per_thread)
{
	pthread_once(&once, find_all);
	return &tables[per_thread];
}

int driver_find(const char *name, int version, unsigned long long flags, void **function,
				int *status)
{
	pthread_once(&once, find_all);
	return get_proc ? get_proc(name, function, version, flags, status) : CUDA_NOT_FOUND;
}
