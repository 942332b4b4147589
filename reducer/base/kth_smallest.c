#include "base/kth_smallest.h"

enum { DIGIT = 10 }; /* bits */

/* The digit of the *k-th smallest, from 0; *k becomes its place among those with that digit. */
static uint32_t digit_of(const uint32_t counts[2][1 << DIGIT], size_t *k)
{
	uint32_t digit = 0;
	for (size_t here; *k >= (here = counts[0][digit] + counts[1][digit]); digit++)
		*k -= here;
	return digit;
}

/* Digit by digit, the highest first, of those that have the digits before. Two tables, because
 * neighbours often share a digit. */
uint32_t kth_smallest(const uint32_t *at, size_t n, size_t k, unsigned bits)
{
	uint32_t before = 0;
	for (unsigned shift = (bits - 1) / DIGIT * DIGIT;; shift -= DIGIT) {
		uint32_t counts[2][1 << DIGIT] = {{0}};
		for (size_t i = 0; i < n; i++) {
			const uint32_t digits = at[i] >> shift;
			counts[i % 2][digits & ((1 << DIGIT) - 1)] += digits >> DIGIT == before;
		}
		before = before << DIGIT | digit_of(counts, &k);
		if (shift == 0)
			return before;
	}
}
