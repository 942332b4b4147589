/* The k-th smallest number, against a sorted copy. */
#include "base/kth_smallest.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static uint32_t some(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*state >> 32);
}

/* Keeps out: a digit that is not reached, or taken from a number that differs in one before it. */
static void check_bits(unsigned bits, size_t n)
{
	uint32_t *at = malloc(n * sizeof(*at)), *sorted = malloc(n * sizeof(*sorted));
	uint64_t state = bits * 1000 + n;
	CHECK(at && sorted, "no memory");
	for (size_t i = 0; i < n; i++)
		at[i] = some(&state) >> (32 - bits) >> (i % 3 ? 0 : bits / 2);
	memcpy(sorted, at, n * sizeof(*at));
	qsort(sorted, n, sizeof(*sorted), by_value);
	for (size_t k = 0; k < n; k += 1 + n / 50) {
		const uint32_t found = kth_smallest(at, n, k, bits);
		CHECK(found == sorted[k], "%u bits, %zu numbers: number %zu is %u, not %u", bits, n, k,
			  sorted[k], found);
	}
	CHECK(kth_smallest(at, n, n - 1, bits) == sorted[n - 1], "%u bits: the last of %zu", bits, n);
	free(at);
	free(sorted);
}

int main(void)
{
	const size_t sizes[] = {1, 2, 3, 100, 5000};
	for (unsigned bits = 1; bits <= 32; bits++)
		for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
			check_bits(bits, sizes[i]);
	return finish();
}
