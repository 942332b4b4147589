/* What PyTorch calls of the driver and the runtime beside what double.c tests: memory mapped by
 * hand (its expandable segments), pools, symbols, callbacks, and that a small result reads as zero
 * unless something wrote it. Two devices of 64 MiB: SIMGPU_DEVICES=2 SIMGPU_MEMORY_MB=64
 * SIMGPU_ZERO_BYTES=64. Links with libcudart.so.13 and libcuda.so.1. */
#include "doubles/doubles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dim {
	unsigned x, y, z;
};
int cudaMalloc(void **, size_t);
int cudaFree(void *);
int cudaMallocAsync(void **, size_t, void *);
int cudaFreeAsync(void *, void *);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaGetSymbolAddress(void **, const void *);
int cudaMemset(void *, int, size_t);
int cudaMemGetInfo(size_t *, size_t *);
int cudaSetDevice(int);
int cudaLaunchKernel(const void *, struct dim, struct dim, void **, size_t, void *);
int cudaStreamCreate(void **);
int cudaStreamBeginCapture(void *, int);
int cudaStreamEndCapture(void *, void **);
int cudaGraphInstantiate(void **, void *, unsigned long long);
int cudaGraphLaunch(void *, void *);
int cudaStreamSynchronize(void *);
int cudaStreamAddCallback(void *, void (*)(void *, int, void *), void *, unsigned);
int cudaDeviceSynchronize(void);
int cudaDeviceGetDefaultMemPool(void **, int);
int cudaMemPoolGetAttribute(void *, int, void *);
int cudaMemPoolSetAttribute(void *, int, void *);
int cudaDeviceGetPCIBusId(char *, int, int);
int cudaPointerGetAttributes(void *, const void *);
int cudaGetDriverEntryPointByVersion(const char *, void **, unsigned, unsigned long long, int *);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
							void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
int cuMemAddressReserve(uint64_t *, size_t, size_t, uint64_t, unsigned long long);
int cuMemAddressFree(uint64_t, size_t);
int cuMemCreate(uint64_t *, size_t, const void *, unsigned long long);
int cuMemRelease(uint64_t);
int cuMemMap(uint64_t, size_t, size_t, uint64_t, unsigned long long);
int cuMemUnmap(uint64_t, size_t);
int cuMemSetAccess(uint64_t, size_t, const void *, size_t);
int cuMemGetAllocationGranularity(size_t *, const void *, int);
int cuMemRetainAllocationHandle(uint64_t *, void *);
int cuMulticastCreate(void *, const void *);

enum { HTOD = 1, DTOH = 2, DTOD = 3, OUT_OF_MEMORY = 2, NOT_SUPPORTED = 801 };
#define MB ((size_t)1 << 20)

static int failures;

static void check(int ok, const char *what, int line)
{
	if (ok)
		return;
	failures++;
	printf("pytorch.c:%d: %s\n", line, what);
}
#define CHECK(condition) check(condition, #condition, __LINE__)
#define OK(call) check((call) == 0, #call " is not 0", __LINE__)

static void kernel(void)
{
}

static void launch(void *stream)
{
	OK(cudaLaunchKernel((void *)kernel, (struct dim){1, 1, 1}, (struct dim){32, 1, 1}, NULL, 0,
						stream));
}

static uint64_t word_at(const void *device)
{
	uint64_t word = 1;
	OK(cudaMemcpy(&word, device, sizeof(word), DTOH));
	return word;
}

/* ---- results ---- */

static void put(void *device, uint64_t word)
{
	OK(cudaMemcpy(device, &word, sizeof(word), HTOD));
}

/* Keeps out: sizes and losses that are what an older copy left in a block used again. */
static void case_results(void)
{
	uint64_t *a, *b, words[64];
	OK(cudaMalloc((void **)&a, 4096));
	OK(cudaMalloc((void **)&b, 4096));
	put(a, 42);
	CHECK(word_at(a) == 42);
	launch(NULL);
	CHECK(word_at(a) == 0); /* the kernel may have written it */
	put(b, 43);
	CHECK(word_at(b) == 43 && word_at(a) == 0);
	OK(cudaMemcpy(b, a, 8, DTOD)); /* nobody knows what that is now */
	CHECK(word_at(b) == 0);
	put(a, 44);
	OK(cudaMemcpy(b, a, 8, DTOD));
	CHECK(word_at(b) == 44);
	OK(cudaMemset(b, 0, 4096));
	launch(NULL);
	put(a, 49);
	OK(cudaMemcpy(b, a, 64, DTOD)); /* what follows a known beginning was never written */
	CHECK(word_at(b) == 49 && !simgpu_known(b, 64) && word_at(b + 1) == 0);
	put(b + 8, 50); /* no more than these eight */
	CHECK(simgpu_known(b, 8) && word_at(b) == 49 && word_at(b + 8) == 50);
	OK(cudaMemset(b, 1, 8));
	CHECK(word_at(b) == 0x0101010101010101u && word_at(b + 1) == 0);
	put(a, 45);
	launch(NULL);
	OK(cudaMemcpy(words, a, sizeof(words), DTOH)); /* big ones are what the memory holds */
	CHECK(words[0] == 45);
	CHECK(!simgpu_known(a, 8));
	simgpu_wrote(a, 8, true);
	CHECK(simgpu_known(a, 8) && word_at(a) == 45);
	OK(cudaFree(a));
	OK(cudaFree(b));
}

static void case_results_of_graphs(void)
{
	void *stream, *graph, *exec;
	uint64_t *a, *other;
	OK(cudaStreamCreate(&stream));
	OK(cudaMalloc((void **)&a, 4096));
	OK(cudaStreamBeginCapture(stream, 2));
	launch(stream);
	OK(cudaStreamEndCapture(stream, &graph));
	OK(cudaGraphInstantiate(&exec, graph, 0));
	put(a, 46);
	CHECK(word_at(a) == 46); /* a captured launch is none */
	OK(cudaGraphLaunch(exec, stream));
	OK(cudaStreamSynchronize(stream));
	CHECK(word_at(a) == 0);
	put(a, 47);
	OK(cudaSetDevice(1)); /* another device's kernels do not touch it */
	OK(cudaMalloc((void **)&other, 4096));
	launch(NULL);
	OK(cudaSetDevice(0));
	CHECK(word_at(a) == 47);
	OK(cudaFree(a));
}

/* ---- memory mapped by hand ---- */

struct properties {
	int type, handle_types, location_type, location;
	void *windows;
	uint8_t flags[8];
};

static size_t free_bytes(void)
{
	size_t left, total;
	OK(cudaMemGetInfo(&left, &total));
	return left;
}

static int type_of(uint64_t address)
{
	int out[32] = {-1};
	OK(cudaPointerGetAttributes(out, (void *)address));
	return out[0];
}

static void case_virtual(void)
{
	const struct properties here = {1, 0, 1, 0, NULL, {0}}, nowhere = {1, 0, 1, 9, NULL, {0}};
	const int access[3] = {1, 0, 3};
	size_t grain, before = free_bytes();
	uint64_t base, piece, second, again;
	OK(cuMemGetAllocationGranularity(&grain, &here, 0));
	CHECK(grain == 2 * MB);
	CHECK(cuMemAddressReserve(&base, MB, 0, 0, 0) != 0);
	OK(cuMemAddressReserve(&base, 1024 * MB, 0, 0, 0)); /* more than there is memory */
	CHECK(base % grain == 0 && free_bytes() == before && type_of(base) == 0);
	CHECK(cuMemCreate(&piece, 4 * MB, &nowhere, 0) != 0);
	CHECK(cuMemCreate(&piece, 128 * MB, &here, 0) == OUT_OF_MEMORY);
	OK(cuMemCreate(&piece, 4 * MB, &here, 0));
	OK(cuMemCreate(&second, 2 * MB, &here, 0));
	CHECK(free_bytes() == before - 6 * MB);
	OK(cuMemMap(base, 4 * MB, 0, piece, 0));
	CHECK(cuMemMap(base + 2 * MB, 2 * MB, 0, second, 0) != 0); /* taken */
	OK(cuMemMap(base + 4 * MB, 2 * MB, 0, second, 0));
	OK(cuMemSetAccess(base, 6 * MB, access, 1));
	CHECK(type_of(base + 5 * MB) == 2);
	put((void *)(base + 4 * MB - 4), 48); /* across both */
	CHECK(word_at((void *)(base + 4 * MB - 4)) == 48);
	OK(cuMemRetainAllocationHandle(&again, (void *)(base + MB)));
	CHECK(again == piece);
	OK(cuMemRelease(again));
	OK(cuMemUnmap(base, 6 * MB));
	CHECK(cuMemUnmap(base, 6 * MB) != 0 && free_bytes() == before - 6 * MB);
	OK(cuMemRelease(piece));
	OK(cuMemMap(base, 2 * MB, 0, second, 0));
	CHECK(cuMemAddressFree(base, 1024 * MB) != 0); /* in use */
	OK(cuMemRelease(second));
	CHECK(free_bytes() == before - 2 * MB);
	OK(cuMemUnmap(base, 2 * MB));
	CHECK(free_bytes() == before);
	OK(cuMemAddressFree(base, 1024 * MB));
}

/* ---- pools ---- */

enum { THRESHOLD = 4, USED = 7, USED_HIGH = 8 };

static void case_pools(void)
{
	void *pool, *block;
	uint64_t used = 1, high = 0, threshold = 77;
	CHECK(cudaDeviceGetDefaultMemPool(&pool, 5) != 0);
	OK(cudaDeviceGetDefaultMemPool(&pool, 0));
	OK(cudaMemPoolSetAttribute(pool, THRESHOLD, &threshold));
	threshold = 0;
	OK(cudaMemPoolGetAttribute(pool, THRESHOLD, &threshold));
	CHECK(threshold == 77);
	OK(cudaMallocAsync(&block, 4096, NULL));
	OK(cudaMemPoolGetAttribute(pool, USED, &used));
	CHECK(used == 4096);
	OK(cudaFreeAsync(block, NULL));
	OK(cudaMemPoolGetAttribute(pool, USED, &used));
	OK(cudaMemPoolGetAttribute(pool, USED_HIGH, &high));
	CHECK(used == 0 && high == 4096);
	CHECK(cudaMemPoolGetAttribute(pool, 99, &used) != 0);
}

/* ---- the rest ---- */

static char variable[16];

static void case_symbols(void)
{
	const uint64_t word = 49;
	void *address;
	__cudaRegisterVar(NULL, variable, NULL, "variable", 0, sizeof(variable), 0, 0);
	OK(cudaMemcpyToSymbol(variable, &word, sizeof(word), 8, HTOD));
	OK(cudaGetSymbolAddress(&address, variable));
	CHECK(word_at((char *)address + 8) == 49);
	CHECK(cudaMemcpyToSymbol(variable, &word, sizeof(word), 9, HTOD) != 0);
	CHECK(cudaMemcpyToSymbol(&word, &word, sizeof(word), 0, HTOD) == 13);
}

static void count_call(void *stream, int status, void *data)
{
	*(int *)data += stream && !status;
}

static void case_others(void)
{
	void *stream, *function = NULL;
	int called = 0, status = -1;
	char id[16] = "";
	OK(cudaStreamCreate(&stream));
	OK(cudaStreamAddCallback(stream, count_call, &called, 0));
	OK(cudaStreamSynchronize(stream));
	CHECK(called == 1);
	CHECK(cudaStreamAddCallback(stream, count_call, &called, 1) != 0);
	OK(cudaDeviceGetPCIBusId(id, sizeof(id), 1));
	CHECK(!strcmp(id, "0000:02:00.0"));
	/* what is not modelled is there, and says no */
	OK(cudaGetDriverEntryPointByVersion("cuMulticastCreate", &function, 12030, 0, &status));
	CHECK(function && status == 0 && cuMulticastCreate(NULL, NULL) == NOT_SUPPORTED);
}

int main(void)
{
	void (*cases[])(void) = {case_results, case_results_of_graphs, case_virtual,
							 case_pools,   case_symbols,           case_others};
	unsigned n = sizeof(cases) / sizeof(cases[0]);
	__cudaRegisterFunction(NULL, (const char *)kernel, NULL, "_Z6kernelv", 0, 0, 0, 0, 0, 0);
	for (unsigned i = 0; i < n; i++)
		cases[i]();
	printf("%u cases, %d failures\n", n, failures);
	return failures != 0;
}
