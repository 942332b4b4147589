/* Sorts by a number of 64 bits, in place of qsort() where there are very many rows. */
#ifndef BASE_RADIX_H
#define BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>

struct radix_row {
	uint64_t key;
	uint32_t index; /* the caller's: of the row that has the key */
};

/* Sorts rows by key, ascending; equal keys keep their order. 0 or -ENOMEM. */
int radix_sort(struct radix_row *rows, size_t n);

#endif
