/* Numbers as a plane of their lengths and their bits (docs/FORMAT.md section 4.4). The lengths
 * compress well, the bits below the highest one are noise and do not. The caller provides all
 * memory. The code is in codec/bitplane.c and codec/bitplane_get.c. */
#ifndef BATON_BITPLANE_H
#define BATON_BITPLANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BATON_GRID_NS 32 /* GPUs' clocks tick so */

/* The most bytes of `rows` numbers. */
static inline size_t baton_bitplane_bound(size_t rows)
{
	return rows * 10 + 8;
}

/* Writes `rows` numbers: the plane, with `grid` the remainders, then the bits. *bits: where they
 * begin. Returns the byte after all. */
uint8_t *baton_bitplane_put(uint8_t *out, const int64_t *w, size_t rows, bool grid, uint8_t **bits);
/* Reads `rows` numbers that fill [in, end) exactly. False when they do not, or when the plane or a
 * remainder has a byte that no number has. */
bool baton_bitplane_get(const uint8_t *in, const uint8_t *end, bool grid, int64_t *w, size_t rows);

#endif
