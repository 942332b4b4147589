/* A library for CUDA_INJECTION64_PATH: says when it was called, may use CUDA at once. */
#include <stdio.h>
int cuDeviceGetCount(int *count);
int InitializeInjection(void);

int InitializeInjection(void)
{
	int count = -1;
	int result = cuDeviceGetCount(&count);
	printf("injected %d %d\n", result, count);
	return 1;
}
