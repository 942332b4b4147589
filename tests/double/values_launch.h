/* Launches of kernels that the double works out (values/formula.h), with arguments as PyTorch lays
 * them out, and names as libtorch_cuda.so has them. */
#ifndef TESTS_VALUES_LAUNCH_H
#define TESTS_VALUES_LAUNCH_H

#include "doubles/doubles.h"

#include <stddef.h>
#include <stdint.h>

int cuMemcpyHtoD_v2(uint64_t, const void *, size_t);
int cuMemcpyDtoH_v2(void *, uint64_t, size_t);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
				   void *, void **, void **);

#define ELEMENTWISE "_ZN2at6native29vectorized_elementwise_kernelILi4E"
#define ARRAYS(n_) "St5arrayIPcLm" #n_ "EELb0EEEviT0_T1_"
#define COMPARISON "NS0_51_GLOBAL__N__68c48bfe_18_CompareEQKernel_cu_d8008c9616CompareEqFunctorI"
#define REDUCE "_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpI"
#define JOIN                                                                                      \
	"_ZN2at6native40_GLOBAL__N__f1f992fe_8_Shape_cu_49f7391c26CatArrayBatchedCopy_contigINS1_10"  \
	"OpaqueTypeILj8EEEjLi1ELi128ELi1EEEvPT_NS1_25CatArrInputTensorMetadataIS5_T0_XT2_EXT3_EEENS1" \
	"_16TensorSizeStrideIS8_Lj4EEEiS8_"

#define N 8
extern int failures;

void check(int ok, const char *file, int line, const char *what);
#define CHECK(condition) check(condition, __FILE__, __LINE__, #condition)
#define OK(call) check((call) == 0, __FILE__, __LINE__, #call " is not 0")

void values_open(void);
/* Arrays of 256 bytes, one after another: three of N words, one for the result, more,
 * 1 MiB in all. */
void *array(int i);
void put(int i, const void *from, size_t bytes);
void get(int i, void *to, size_t bytes);
void launch(const char *name, void **arguments, unsigned arrays, void *stream);
/* One that may write anything. */
void forget(void);
/* kernel(N, functor, {array(3), array(0), array(1)}) */
void elementwise(const char *name, const void *functor);

/* The arguments of a reduction, as Reduce.cuh lays them out: of array(0) into array(3), and places
 * into array(4). */
struct reduce {
	int config[16], dims;
	uint32_t sizes[25][3], strides[25];
	int output_dims;
	uint32_t output_sizes[25][3], output_strides[25][2];
};

/* What is begun with ends `at` bytes in. */
void reduce_launch(const char *name, const struct reduce *reduce, size_t at, int results);
/* All N to one. */
void reduce(const char *name, size_t bytes, int n_outputs);

extern const int64_t first[N], second[N];

void views_cases(void); /* values_views.c */
extern const unsigned n_views_cases;

#endif
