/* One line about what a process sees of CUDA: counts, versions, the slow device. */
#include "doubles/external.h"

#include <stdio.h>
#include <string.h>

struct dim {
	unsigned x, y, z;
};
int cudaGetDeviceCount(int *);
int cudaGetDeviceProperties(void *, int);
int cudaGetDeviceProperties_v2(void *, int);
int cudaRuntimeGetVersion(int *);
int cudaDriverGetVersion(int *);
int cudaSetDevice(int);
int cudaDeviceSynchronize(void);
int cudaLaunchKernel(const void *, struct dim, struct dim, void **, size_t, void *);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *,
							void *, void *, int *);

static long took[16];

static void op_ended(const struct sim_record *record)
{
	took[record->device % 16] = (long)(record->end_ns - record->start_ns);
}

static void kernel(void)
{
}

int main(void)
{
	static const struct sim_observer observer = {.op = op_ended};
	struct dim one = {1, 1, 1};
	union {
		char bytes[2048];
		int ints[512];
	} properties;
	int count = -1, runtime = 0, driver = 0, result = cudaGetDeviceCount(&count);
	cudaRuntimeGetVersion(&runtime);
	cudaDriverGetVersion(&driver);
	printf("result %d count %d runtime %d driver %d", result, count, runtime, driver);
	if (result)
		return printf("\n") < 0;
	__cudaRegisterFunction(NULL, (const char *)kernel, NULL, "_Z6kernelv", 0, 0, 0, 0, 0, 0);
	simgpu_observe(&observer);
	for (int i = 0; i < count; i++) {
		cudaSetDevice(i);
		cudaLaunchKernel((void *)kernel, one, one, NULL, 0, NULL);
		cudaDeviceSynchronize();
	}
	simgpu_settle(5000);
#ifdef RUNTIME_12
	cudaGetDeviceProperties_v2(&properties, 0);
	printf(" sm %d%d processors %d", properties.ints[90], properties.ints[91],
		   properties.ints[388 / 4]);
#else
	cudaGetDeviceProperties(&properties, 0);
	printf(" sm %d%d processors %d", properties.ints[90], properties.ints[91],
		   properties.ints[384 / 4]);
#endif
	printf(" uuid %d took", properties.bytes[259]);
	for (int i = 0; i < count; i++)
		printf(" %ld", took[i]);
	return printf("\n") < 0;
}
