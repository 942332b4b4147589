/* The k-th smallest of many numbers, found by counting their digits: no branch depends on them. */
#ifndef BASE_KTH_SMALLEST_H
#define BASE_KTH_SMALLEST_H

#include <stddef.h>
#include <stdint.h>

/* Of n numbers of at most `bits` bits (1 to 32), from 0: k < n. */
uint32_t kth_smallest(const uint32_t *at, size_t n, size_t k, unsigned bits);

#endif
