/* Sizes, counts and offsets that a file gives. Whatever their values are, nothing here wraps: every
 * reader takes them this way. */
#ifndef BATON_BOUNDS_H
#define BATON_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/* Do `n` items of `each` > 0 bytes from `offset` on lie inside of `whole` bytes? */
static inline bool baton_holds(uint64_t whole, uint64_t offset, uint64_t n, uint64_t each)
{
	return offset <= whole && n <= (whole - offset) / each;
}

#endif
