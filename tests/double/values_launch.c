#include "values_launch.h"

#include <stdio.h>
#include <string.h>

int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuMemAlloc_v2(void *, size_t);

int failures;
static uint8_t *device;

const int64_t first[N] = {5, -7, 1, 0, 9, 1LL << 40, 3, 3};
const int64_t second[N] = {5, 2, 9, -1, 9, 1, 3, 4};

void check(int ok, const char *file, int line, const char *what)
{
	if (ok)
		return;
	failures++;
	printf("%s:%d: %s\n", file, line, what);
}

void values_open(void)
{
	void *context;
	OK(cuInit(0));
	OK(cuDevicePrimaryCtxRetain(&context, 0));
	OK(cuCtxSetCurrent(context));
	OK(cuMemAlloc_v2(&device, 1 << 20));
}

void *array(int i)
{
	return device + 256 * i;
}

void put(int i, const void *from, size_t bytes)
{
	OK(cuMemcpyHtoD_v2((uint64_t)array(i), from, bytes));
}

void get(int i, void *to, size_t bytes)
{
	OK(cuMemcpyDtoH_v2(to, (uint64_t)array(i), bytes));
}

void launch(const char *name, void **arguments, unsigned arrays, void *stream)
{
	OK(cuLaunchKernel(simgpu_kernel(name), 1, arrays, 1, 32, 1, 1, 0, stream, arguments, NULL));
}

void forget(void)
{
	launch("_Z6kernelv", NULL, 1, NULL);
}

void elementwise(const char *name, const void *functor)
{
	int n = N;
	void *arrays[3] = {array(3), array(0), array(1)};
	void *arguments[3] = {&n, (void *)functor, arrays};
	launch(name, arguments, 1, NULL);
}

void reduce_launch(const char *name, const struct reduce *reduce, size_t begins, int results)
{
	_Alignas(8) uint8_t memory[2048] = {0}, *at = memory + (begins + 3) / 4 * 4;
	const void *addresses[3] = {array(0), array(3), array(4)};
	void *arguments[1] = {memory};
	memcpy(at, reduce, sizeof(*reduce));
	at += sizeof(*reduce);
	at += (size_t)(memory - at) & 7;
	memcpy(at, addresses, sizeof(addresses));
	at[57] = 1; /* final */
	memcpy(at + 60, &results, sizeof(results));
	launch(name, arguments, 1, NULL);
}

void reduce(const char *name, size_t bytes, int n_outputs)
{
	struct reduce reduce = {.config = {(int)bytes, N, n_outputs},
							.dims = 1,
							.sizes = {{N}},
							.strides = {(uint32_t)bytes}};
	reduce_launch(name, &reduce, 2 * bytes, 1);
}
