/* Kernels of PyTorch's whose results the double works out (values/formula.h): each formula against
 * what it says, operands that nobody knows, arguments that are laid out otherwise, results that
 * other ops are ahead of. Names as libtorch_cuda.so has them. Links with libcuda.so.1. */
#include "values_launch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int cuLaunchHostFunc(void *, void (*)(void *), void *);
int cuStreamCreate(void **, unsigned);
int cuStreamBeginCapture_v2(void *, int);
int cuStreamEndCapture(void *, void **);

static void case_integers(void)
{
	const struct {
		int64_t number, alpha;
	} add = {10, 3};
	int64_t out[N], alpha = -2;
	put(0, first, sizeof(first));
	put(1, second, sizeof(second));
	elementwise(ELEMENTWISE "NS0_15CUDAFunctor_addIlEE" ARRAYS(3), &alpha);
	get(3, out, sizeof(out));
	for (int i = 0; i < N; i++)
		CHECK(out[i] == first[i] - 2 * second[i]);
	elementwise(ELEMENTWISE "NS0_21CUDAFunctorOnSelf_addIlEE" ARRAYS(2), &add);
	get(3, out, sizeof(out));
	for (int i = 0; i < N; i++)
		CHECK(out[i] == first[i] + 30);
	elementwise(ELEMENTWISE "NS0_22CUDAFunctorOnOther_addIlEE" ARRAYS(2), &add);
	get(3, out, sizeof(out));
	for (int i = 0; i < N; i++)
		CHECK(out[i] == 10 + 3 * first[i]);
	elementwise(ELEMENTWISE
				"NS0_13BinaryFunctorIlllNS0_15binary_internal10MulFunctorIlEEEE" ARRAYS(3),
				&add);
	get(3, out, sizeof(out));
	for (int i = 0; i < N; i++)
		CHECK(out[i] == first[i] * second[i]);
	elementwise(ELEMENTWISE "NS0_11FillFunctorIlEE" ARRAYS(1), &add);
	get(3, out, sizeof(out));
	CHECK(out[0] == 10 && out[N - 1] == 10);
}

static void case_comparisons(void)
{
	uint8_t out[N];
	put(0, first, sizeof(first));
	put(1, second, sizeof(second));
	for (int how = 0; how < 4; how++) {
		elementwise(ELEMENTWISE "NS0_50_GLOBAL__N__30bf7ff7_17_CompareKernels_cu_8f1b29aa14Compare"
								"FunctorIlEE" ARRAYS(3),
					&how);
		get(3, out, sizeof(out));
		for (int i = 0; i < N; i++)
			CHECK(out[i] == (how == 0   ? first[i] >= second[i]
							 : how == 1 ? first[i] > second[i]
							 : how == 2 ? first[i] <= second[i]
										: first[i] < second[i]));
	}
	for (int unequal = 0; unequal < 2; unequal++) {
		const struct {
			int how;
			int64_t number;
		} with_number = {unequal, 3};
		elementwise(ELEMENTWISE "NS0_13BinaryFunctorIllbNS0_" COMPARISON "lEEEE" ARRAYS(3),
					&unequal);
		get(3, out, sizeof(out));
		for (int i = 0; i < N; i++)
			CHECK(out[i] == ((first[i] == second[i]) != unequal));
		elementwise(ELEMENTWISE "NS0_13AUnaryFunctorIllbNS0_" COMPARISON "lEEEE" ARRAYS(2),
					&with_number);
		get(3, out, sizeof(out));
		for (int i = 0; i < N; i++)
			CHECK(out[i] == ((first[i] == 3) != unequal));
	}
}

static void case_reals(void)
{
	const float a[N] = {1, -2, 3.5f, INFINITY, 0, 1e30f, -0.5f, 8},
				b[N] = {2, 2, 2, 2, 0, 1e30f, 4, 0};
	const struct {
		float empty, number;
	} times = {0, 0.25f};
	const struct {
		int how;
		float number;
	} infinite = {0, INFINITY};
	float out[N];
	uint8_t flags[N];
	put(0, a, sizeof(a));
	put(1, b, sizeof(b));
	elementwise(
		ELEMENTWISE "NS0_13BinaryFunctorIfffNS0_15binary_internal10DivFunctorIfEEEE" ARRAYS(3), b);
	get(3, out, sizeof(out));
	CHECK(out[0] == 0.5f && out[1] == -1 && isinf(out[3]) && isnan(out[4]) && isinf(out[7]));
	elementwise(ELEMENTWISE
				"NS0_13BUnaryFunctorIfffNS0_15binary_internal10MulFunctorIfEEEE" ARRAYS(2),
				&times);
	get(3, out, sizeof(out));
	CHECK(out[0] == 0.25f && out[2] == 0.875f && out[7] == 2);
	elementwise(ELEMENTWISE "NS0_10AbsFunctorIfEE" ARRAYS(2), b);
	get(3, out, sizeof(out));
	CHECK(out[1] == 2 && out[6] == 0.5f);
	elementwise(ELEMENTWISE "NS0_13AUnaryFunctorIffbNS0_" COMPARISON "fEEEE" ARRAYS(2), &infinite);
	get(3, flags, sizeof(flags));
	CHECK(flags[3] == 1 && flags[0] == 0);
}

static void case_reductions(void)
{
	static const float reals[N] = {1, 2, 3, -4, 5.5f, 6, 7, 8};
	static const float broken[N] = {1, 2, NAN, 4, 5, 6, 7, 8};
	static const uint8_t flags[N] = {1, 1, 1, 0, 1, 1, 1, 1};
	int64_t out;
	float real;
	uint8_t flag;
	put(0, first, sizeof(first));
	reduce(REDUCE "lNS0_14func_wrapper_tIlZNS0_11sum_functorIlllEclERNS_14TensorIteratorEEUlllE_"
				  "EEjlLi4ELi4EEEEEvT1_",
		   8, 1);
	get(3, &out, sizeof(out));
	CHECK(out == 5 - 7 + 1 + 9 + (1LL << 40) + 6);
	reduce(REDUCE "lNS0_14func_wrapper_tIlNS0_13MaxNanFunctorIlEEEEjlLi4ELi4EEEEEvT1_", 8, 1);
	get(3, &out, sizeof(out));
	CHECK(out == 1LL << 40);
	reduce(REDUCE "lNS0_14func_wrapper_tIlNS0_13MinNanFunctorIlEEEEjlLi4ELi4EEEEEvT1_", 8, 1);
	get(3, &out, sizeof(out));
	CHECK(out == -7);
	put(0, reals, sizeof(reals));
	reduce(REDUCE "fNS0_14func_wrapper_tIfZNS0_11sum_functorIfffEclERNS_14TensorIteratorEEUlffE_"
				  "EEjfLi4ELi4EEEEEvT1_",
		   4, 1);
	get(3, &real, sizeof(real));
	CHECK(real == 28.5f);
	put(0, broken, sizeof(broken));
	reduce(REDUCE "fNS0_14func_wrapper_tIfNS0_13MaxNanFunctorIfEEEEjfLi4ELi4EEEEEvT1_", 4, 1);
	get(3, &real, sizeof(real));
	CHECK(isnan(real));
	put(0, flags, sizeof(flags));
	reduce(REDUCE "bNS0_14func_wrapper_tIbZZZNS0_15and_kernel_cudaERNS_14TensorIteratorEENKUlvE_"
				  "clEvENKUlvE10_clEvEUlbbE_EEjbLi4ELi4EEEEEvT1_",
		   1, 1);
	get(3, &flag, 1);
	CHECK(flag == 0);
	reduce(REDUCE "bNS0_14func_wrapper_tIbZZZNS0_14or_kernel_cudaERNS_14TensorIteratorEENKUlvE_"
				  "clEvENKUlvE10_clEvEUlbbE_EEjbLi4ELi4EEEEEvT1_",
		   1, 1);
	get(3, &flag, 1);
	CHECK(flag == 1);
	put(0, first, sizeof(first));
	reduce(REDUCE "lNS0_14func_wrapper_tIlNS0_13MinNanFunctorIlEEEEjlLi4ELi4EEEEEvT1_", 8, 2);
	get(3, &out, sizeof(out)); /* to two, and nothing says where they are: not worked out */
	CHECK(out == 0);
}

static struct joined {
	void *arrays[128];
	uint32_t offsets[128], sizes[128], n[128];
} joined;

static void join(void)
{
	void *out = array(3), *arguments[5] = {&out, &joined, &joined, &joined, &joined};
	launch(JOIN, arguments, 2, NULL);
}

static void case_joined(void)
{
	int64_t out[5] = {0};
	joined = (struct joined){{array(0), array(1)}, {0, 2}, {2, 3}, {2, 3}};
	put(0, first, sizeof(first));
	put(1, second, sizeof(second));
	join();
	get(3, out, sizeof(out));
	CHECK(!memcmp(out, first, 16) && !memcmp(out + 2, second, 24));
	joined.offsets[1] =
		7; /* not one after the other: what it does is not known, so all is forgotten */
	join();
	get(0, out, sizeof(out));
	CHECK(out[0] == 0);
}

/* Keeps out: sums of what an older copy left in a block used again. */
static void case_unknown(void)
{
	const int64_t one = 1;
	int64_t out = 1;
	int equal = 0;
	uint8_t flag = 7;
	put(0, first, sizeof(first));
	forget();
	put(1, second, sizeof(second));
	elementwise(ELEMENTWISE "NS0_15CUDAFunctor_addIlEE" ARRAYS(3), &one);
	get(3, &out, sizeof(out));
	CHECK(out == 0);
	get(1, &out, sizeof(out)); /* but what else there was is still known */
	CHECK(out == second[0]);
	int n = N; /* a loss that nobody computed is a number: isfinite() and the like ask x == x */
	void *same[3] = {array(3), array(0), array(0)}, *arguments[3] = {&n, &equal, same};
	launch(ELEMENTWISE "NS0_13BinaryFunctorIffbNS0_" COMPARISON "fEEEE" ARRAYS(3), arguments, 1,
		   NULL);
	get(3, &flag, 1);
	CHECK(flag == 1);
	equal = 1;
	launch(ELEMENTWISE "NS0_13BinaryFunctorIffbNS0_" COMPARISON "fEEEE" ARRAYS(3), arguments, 1,
		   NULL);
	get(3, &flag, 1);
	CHECK(flag == 0);
}

/* Other layouts, types or kernels: nothing is worked out, and what was known is not any more. */
static void case_other_kernels(void)
{
	static const char *const names[] = {
		ELEMENTWISE "NS0_15CUDAFunctor_addIN3c104HalfEEE" ARRAYS(3),
		ELEMENTWISE "NS0_13BinaryFunctorIlflNS0_15binary_internal10MulFunctorIlEEEE" ARRAYS(3),
		ELEMENTWISE "NS0_10MulFunctorIlEE" ARRAYS(3),
		ELEMENTWISE "NS0_11FillFunctorIlEE",
		REDUCE "fNS0_14func_wrapper_tIfNS0_11sum_functorIfEEEEjfLi4EEEEEvT1_",
		REDUCE "lNS0_14func_wrapper_tIlNS0_13MaxNanFunctorIlEEEEjfLi4ELi4EEEEEvT1_",
		"vectorized_elementwise_kernel",
	};
	int64_t out;
	int n = N, no[64] = {0};
	void *elsewhere[3] = {no, no, no}, *arguments[3] = {&n, no, elsewhere};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		put(0, first, sizeof(first));
		launch(names[i], NULL, 1, NULL);
		get(0, &out, sizeof(out));
		check(out == 0, __FILE__, __LINE__, names[i]);
	}
	put(0, first, sizeof(first));
	launch(ELEMENTWISE "NS0_15CUDAFunctor_addIlEE" ARRAYS(3), arguments, 1,
		   NULL); /* no device memory */
	get(0, &out, sizeof(out));
	CHECK(out == 0);
}

static void nap(void *data)
{
	(void)data;
	usleep(20000);
}

/* Keeps out: a result of operands that an op ahead has yet to write. */
static void case_later(void)
{
	const struct {
		int64_t number, alpha;
	} add = {1, 1};
	const int64_t late[N] = {41};
	void *stream, *graph;
	int64_t out = 0;
	OK(cuStreamCreate(&stream, 1));
	OK(cuLaunchHostFunc(NULL, nap, NULL));
	put(0, late, sizeof(late)); /* moves when the host function has returned */
	elementwise(ELEMENTWISE "NS0_21CUDAFunctorOnSelf_addIlEE" ARRAYS(2), &add);
	get(3, &out, sizeof(out));
	CHECK(out == 42);
	OK(cuStreamBeginCapture_v2(stream, 2));
	int n = N;
	void *arrays[2] = {array(0), array(3)}, *arguments[3] = {&n, (void *)&add, arrays};
	launch(ELEMENTWISE "NS0_21CUDAFunctorOnSelf_addIlEE" ARRAYS(2), arguments, 1, stream);
	OK(cuStreamEndCapture(stream, &graph));
	get(0, &out, sizeof(out)); /* a captured launch is none */
	CHECK(out == 41);
}

int main(void)
{
	void (*cases[])(void) = {case_integers, case_comparisons, case_reals,         case_reductions,
							 case_joined,   case_unknown,     case_other_kernels, case_later};
	unsigned n = sizeof(cases) / sizeof(cases[0]);
	values_open();
	for (unsigned i = 0; i < n; i++)
		cases[i]();
	views_cases();
	printf("%u cases, %d failures\n", n + n_views_cases, failures);
	return failures != 0;
}
