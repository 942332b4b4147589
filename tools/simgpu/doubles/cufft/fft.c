/* The double of cuFFT: plans, and one or two kernels for every dimension of a transform, named
 * after the families of public traces. It computes nothing. Handles are numbers; their list has a
 * lock. */
#include "doubles/shared/launch.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum fft_status {
	FFT_OK,
	FFT_INVALID_PLAN,
	FFT_ALLOC_FAILED,
	FFT_INVALID_TYPE,
	FFT_INVALID_VALUE,
	FFT_EXEC_FAILED = 6,
	FFT_SETUP_FAILED,
	FFT_INVALID_SIZE
};

#define MOST_DIMENSIONS 3
#define ONE_KERNEL 4096    /* longer transforms are done in two passes */
#define LARGEST_FACTOR 127 /* others go through a convolution */

struct plan {
	struct plan *next;
	int handle, n_dims;
	long long dims[MOST_DIMENSIONS], batch;
	char type; /* of the sums, mangled: f d */
	bool real; /* on one side */
	bool made;
	void *stream;
};

static struct plan *plans;
static int last_handle;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Begins the definition of an exported function. */
#define FFT_API(name_, ...) \
	int name_(__VA_ARGS__); \
	int name_(__VA_ARGS__)

/* The place in the list where the plan hangs; of the last one when there is no such plan. */
static struct plan **place_of(int handle)
{
	struct plan **place = &plans;
	while (*place && (*place)->handle != handle)
		place = &(*place)->next;
	return place;
}

static struct plan *plan_of(int handle)
{
	pthread_mutex_lock(&lock);
	struct plan *plan = *place_of(handle);
	pthread_mutex_unlock(&lock);
	return plan;
}

FFT_API(cufftCreate, int *handle)
{
	if (!handle)
		return FFT_INVALID_VALUE;
	if (library_use())
		return FFT_SETUP_FAILED;
	struct plan *plan = calloc(1, sizeof(*plan));
	if (!plan)
		return FFT_ALLOC_FAILED;
	pthread_mutex_lock(&lock);
	plan->handle = *handle = ++last_handle;
	plan->next = plans;
	plans = plan;
	pthread_mutex_unlock(&lock);
	return FFT_OK;
}

FFT_API(cufftDestroy, int handle)
{
	pthread_mutex_lock(&lock);
	struct plan **place = place_of(handle), *plan = *place;
	if (plan)
		*place = plan->next;
	pthread_mutex_unlock(&lock);
	free(plan);
	return plan ? FFT_OK : FFT_INVALID_PLAN;
}

FFT_API(cufftSetStream, int handle, void *stream)
{
	struct plan *plan = plan_of(handle);
	if (!plan)
		return FFT_INVALID_PLAN;
	plan->stream = stream;
	return FFT_OK;
}

FFT_API(cufftSetAutoAllocation, int handle, int yes)
{
	(void)yes;
	return plan_of(handle) ? FFT_OK : FFT_INVALID_PLAN;
}

FFT_API(cufftSetWorkArea, int handle, void *area)
{
	(void)area;
	return plan_of(handle) ? FFT_OK : FFT_INVALID_PLAN;
}

/* ---- plans ---- */

static bool is_complex(int type)
{
	return type == 4 || type == 5 || type == 6 || type == 15;
}

/* cudaDataType: real and complex ones of 32, 64 and 16 bits, and bfloat16. 0: another. */
static char sums(int type)
{
	return type == 1 || type == 5                                     ? 'd'
		   : is_complex(type) || type == 0 || type == 2 || type == 14 ? 'f'
																	  : 0;
}

FFT_API(cufftXtMakePlanMany, int handle, int n_dims, const long long *dims,
		const long long *in_embed, long long in_stride, long long in_distance, int in_type,
		const long long *out_embed, long long out_stride, long long out_distance, int out_type,
		long long batch, size_t *work_bytes, int type)
{
	struct plan *plan = plan_of(handle);
	(void)in_embed, (void)in_stride, (void)in_distance, (void)out_embed, (void)out_stride;
	(void)out_distance;
	if (!plan || plan->made)
		return FFT_INVALID_PLAN;
	if (!dims || !work_bytes || n_dims < 1 || n_dims > MOST_DIMENSIONS || batch < 1)
		return FFT_INVALID_VALUE;
	if (!sums(in_type) || !sums(out_type) || !sums(type) || sums(in_type) != sums(out_type) ||
		(!is_complex(in_type) && !is_complex(out_type)))
		return FFT_INVALID_TYPE;
	*work_bytes = (size_t)batch * 2 * (sums(type) == 'd' ? sizeof(double) : sizeof(float));
	for (int i = 0; i < n_dims; i++) {
		if (dims[i] < 1)
			return FFT_INVALID_SIZE;
		plan->dims[i] = dims[i];
		*work_bytes *= (size_t)dims[i];
	}
	plan->n_dims = n_dims;
	plan->batch = batch;
	plan->type = sums(type);
	plan->real = !is_complex(in_type) || !is_complex(out_type);
	plan->made = true;
	return FFT_OK;
}

/* ---- execution ---- */

static long long largest_factor(long long n)
{
	long long largest = 1;
	for (long long factor = 2; factor * factor <= n; factor++)
		for (; n % factor == 0; n /= factor)
			largest = factor;
	return n > largest ? n : largest;
}

static int launch(const struct plan *plan, const char *name, uint64_t elements)
{
	struct library_kernel kernel = {name, {1, 1, 1}, {256, 1, 1}, false};
	kernel.grid[0] = library_tiles(elements, 2048, LIBRARY_GRID_X);
	return library_launch(&kernel, plan->stream);
}

/* regular_fft<n, EPT<8>, 4, 16, ...>; a convolution where n has a large factor. */
static int transform(const struct plan *plan, long long n, uint64_t elements)
{
	char name[256];
	bool regular = largest_factor(n) <= LARGEST_FACTOR;
	int length = snprintf(name, sizeof(name),
						  "_Z%sILj%lluE3EPTILj8EELj4ELj16EL9padding_t6EL9"
						  "twiddle_t0EL20loadstore_modifier_t2EL8layout_t0Ej%cEv18kernel_arguments"
						  "_tIT7_E",
						  regular ? "11regular_fft" : "19multi_bluestein_fft",
						  (unsigned long long)n, plan->type);
	int failed = length < (int)sizeof(name) ? launch(plan, name, elements) : FFT_EXEC_FAILED;
	if (!failed && n > ONE_KERNEL)
		failed = launch(plan, name, elements);
	return failed;
}

/* What is real on one side is put together from a complex transform of half the length. */
FFT_API(cufftXtExec, int handle, void *in, void *out, int direction)
{
	const struct plan *plan = plan_of(handle);
	uint64_t elements = plan ? (uint64_t)plan->batch : 0;
	int failed = 0;
	if (!plan || !plan->made)
		return FFT_INVALID_PLAN;
	if (!in || !out || (direction != -1 && direction != 1))
		return FFT_INVALID_VALUE;
	for (int i = 0; i < plan->n_dims; i++)
		elements *= (uint64_t)plan->dims[i];
	for (int i = plan->n_dims - 1; i >= 0 && !failed; i--)
		failed = transform(plan, plan->dims[i], elements);
	if (plan->real && !failed)
		failed = launch(plan,
						plan->type == 'd' ? "_Z18postprocess_kernelIjdEv19real_complex_args_t"
										  : "_Z18postprocess_kernelIjfEv19real_complex_args_t",
						elements);
	return failed ? FFT_EXEC_FAILED : FFT_OK;
}
