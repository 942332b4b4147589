/* cuFFT. */
#include "libraries.h"

enum { REAL = 0, DOUBLE = 1, COMPLEX = 4, DOUBLE_COMPLEX = 5 };

/* A plan over `dims`, executed once: how many kernels. */
static unsigned transform(int n_dims, const long long *dims, long in, long out, long sums,
						  const char *name)
{
	int plan = 0;
	size_t bytes = 0;
	CHECK(CALL(cufftCreate, P(&plan)) == 0 && plan);
	CHECK(CALL(cufftSetAutoAllocation, plan, 0) == 0);
	CHECK(CALL(cufftXtExec, plan, P(device), P(device), -1) == 1); /* not made yet */
	CHECK(CALL(cufftXtMakePlanMany, plan, n_dims, P(dims), 0, 1, 1, in, 0, 1, 1, out, 4, P(&bytes),
			   sums) == 0);
	CHECK(bytes != 0 && CALL(cufftSetWorkArea, plan, P(device)) == 0);
	CHECK(CALL(cufftSetStream, plan, 0) == 0);
	libraries_forget();
	CHECK(CALL(cufftXtExec, plan, P(device), 0, -1) == 4);
	CHECK(CALL(cufftXtExec, plan, P(device), P(device), 0) == 4);
	CHECK(CALL(cufftXtExec, plan, P(device), P(device), -1) == 0);
	unsigned launched = libraries_launched(name);
	CHECK(CALL(cufftDestroy, plan) == 0);
	CHECK(CALL(cufftDestroy, plan) == 1 && CALL(cufftSetStream, plan, 0) == 1);
	return launched;
}

void test_fft(void)
{
	const long long square[3] = {32, 64, 16}, prime = 1031, longer = 8192, none = 0;
	int plan = 0;
	size_t bytes;
	CHECK(transform(1, square, COMPLEX, COMPLEX, COMPLEX, "regular_fftILj32E") == 1);
	CHECK(transform(3, square, COMPLEX, COMPLEX, COMPLEX, "regular_fftILj") == 3);
	CHECK(transform(1, &longer, COMPLEX, COMPLEX, COMPLEX, "regular_fftILj8192E") == 2);
	CHECK(transform(1, &prime, DOUBLE_COMPLEX, DOUBLE_COMPLEX, DOUBLE_COMPLEX, "bluestein_fft") ==
		  1);
	CHECK(transform(2, square, REAL, COMPLEX, COMPLEX, "") == 3);
	CHECK(CALL(cufftCreate, P(&plan)) == 0);
	CHECK(CALL(cufftXtMakePlanMany, plan, 1, P(&none), 0, 1, 1, COMPLEX, 0, 1, 1, COMPLEX, 4,
			   P(&bytes), COMPLEX) == 8);
	CHECK(CALL(cufftXtMakePlanMany, plan, 4, P(square), 0, 1, 1, COMPLEX, 0, 1, 1, COMPLEX, 4,
			   P(&bytes), COMPLEX) == 4);
	CHECK(CALL(cufftXtMakePlanMany, plan, 1, P(square), 0, 1, 1, REAL, 0, 1, 1, REAL, 4, P(&bytes),
			   COMPLEX) == 3);
	CHECK(CALL(cufftXtMakePlanMany, plan, 1, P(square), 0, 1, 1, DOUBLE, 0, 1, 1, COMPLEX, 4,
			   P(&bytes), COMPLEX) == 3);
	CHECK(CALL(cufftDestroy, plan) == 0);
}
