/* Writes numbers as a plane of lengths and a stream of bits (docs/FORMAT.md section 4.4). */
#include <baton/bitplane.h>

/* The byte of the plane: twice the length of |w| in bits, and 1 more when w is negative. */
static inline uint8_t plane_byte(int64_t w, uint64_t *magnitude)
{
	*magnitude = w < 0 ? 0 - (uint64_t)w : (uint64_t)w;
	return *magnitude ? (uint8_t)((64 - __builtin_clzll(*magnitude)) * 2 + (w < 0)) : 0;
}

struct bits_out {
	uint8_t *at;
	uint64_t held;
	unsigned n; /* bits in `held`, 7 at most between two numbers */
};

static inline void bits_put(struct bits_out *out, uint64_t value, unsigned n)
{
	if (n > 56) { /* with those held they would not fit into a word */
		bits_put(out, value & 0xffffffff, 32);
		value >>= 32;
		n -= 32;
	}
	out->held |= value << out->n;
	out->n += n;
	for (; out->n >= 8; out->n -= 8, out->held >>= 8)
		*out->at++ = (uint8_t)out->held;
}

uint8_t *baton_bitplane_put(uint8_t *out, const int64_t *w, size_t rows, bool grid, uint8_t **bits)
{
	uint8_t *remainders = out + rows;
	struct bits_out stream = {.at = grid ? remainders + rows : remainders};
	*bits = stream.at;
	for (size_t i = 0; i < rows; i++) {
		int64_t number = w[i];
		uint64_t magnitude;
		if (grid) {
			const int64_t moved = (int64_t)((uint64_t)number + BATON_GRID_NS / 2);
			remainders[i] = (uint8_t)(moved & (BATON_GRID_NS - 1));
			number = moved >> 5;
			_Static_assert(BATON_GRID_NS == 1 << 5, "the shift");
		}
		out[i] = plane_byte(number, &magnitude);
		if (magnitude > 1)
			bits_put(&stream, magnitude & ~(1ull << (out[i] / 2 - 1)), out[i] / 2u - 1);
	}
	if (stream.n)
		*stream.at++ = (uint8_t)stream.held;
	return stream.at;
}
