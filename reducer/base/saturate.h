/* Sums of times from files, which may be anything. */
#ifndef BASE_SATURATE_H
#define BASE_SATURATE_H

#include <stdint.h>

/* The sum, INT64_MAX where it would overflow. */
static inline int64_t saturate_add(int64_t a, int64_t b)
{
	int64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
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
