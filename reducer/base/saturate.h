/* Sums of times from files, which may be anything. */
#ifndef BASE_SATURATE_H
#define BASE_SATURATE_H

#include <stdint.h>

/* The sum, the nearest value where it would overflow. */
static inline int64_t saturate_add(int64_t a, int64_t b)
{
	int64_t sum;
	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return a < 0 ? INT64_MIN : INT64_MAX;
}

/* The difference; the nearest number that there is where it would overflow. */
static inline int64_t saturate_sub(int64_t a, int64_t b)
{
	int64_t difference;
	if (!__builtin_sub_overflow(a, b, &difference))
		return difference;
	return a < b ? INT64_MIN : INT64_MAX;
}

#endif
