/* One call of a libcudart, nested as the real ones nest: runtime, in it driver. */
#include "fake.h"

#include <stddef.h>

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *stream);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);

int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream)
{
	uint32_t correlation = fake_next_correlation();
	int rc;

	if (fake_observer)
		fake_observer->call(2, 51, 0, "cudaMemsetAsync", correlation);
	fake_outer_correlation = correlation;
	rc = cuMemsetD8Async((uint64_t)(uintptr_t)to, (unsigned char)value, bytes, stream);
	fake_outer_correlation = 0;
	if (fake_observer)
		fake_observer->call(2, 51, 1, "cudaMemsetAsync", correlation);
	return rc;
}
