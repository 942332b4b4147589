/* Numbers as a plane of lengths and a stream of bits (docs/FORMAT.md section 4.4). */
#include <baton/bitplane.h>

#include <string.h>

/* The byte of the plane: twice the length of |w| in bits, and 1 more when w is negative. */
static inline uint8_t plane_byte(int64_t w, uint64_t *magnitude)
{
	*magnitude = w < 0 ? 0 - (uint64_t)w : (uint64_t)w;
	return *magnitude ? (uint8_t)((64 - __builtin_clzll(*magnitude)) * 2 + (w < 0)) : 0;
}

enum { PLANE_MOST = 129 }; /* 64 bits, negative; 1 is no number's */

/* ---- writing ---- */

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

/* ---- reading ---- */

/* n <= 63 bits from bit `from` of `in`, which has `bytes` bytes; 0 where there are none. */
static uint64_t bits_get(const uint8_t *in, size_t bytes, uint64_t from, unsigned n)
{
	const size_t at = from / 8 < bytes ? from / 8 : bytes, left = bytes - at;
	const unsigned shift = from % 8;
	uint64_t word = 0;
	memcpy(&word, in + at, left < 8 ? left : 8);
	word >>= shift;
	if (shift && left > 8)
		word |= (uint64_t)in[at + 8] << (64 - shift);
	return word & ((1ull << n) - 1);
}

/* Reading a trace spends much of its time here: no branch depends on the numbers. False when the
 * plane has other bytes than numbers have, or the stream other than their bits. */
static bool numbers_get(const uint8_t *plane, const uint8_t *bits, size_t bytes, int64_t *w,
						size_t rows)
{
	enum { ONE_LOAD = 57 }; /* bits that one word has at any shift */
	const uint64_t loads = bytes >= 8 ? 8 * (bytes - 8) : 0; /* up to here */
	uint64_t from = 0;
	unsigned most = 0, wrong = 0;
	for (size_t i = 0; i < rows; i++) {
		const unsigned byte = plane[i], some = byte != 0, n = (byte / 2 - some) & 63;
		uint64_t word;
		most = byte > most ? byte : most;
		wrong |= byte == 1;
		if (__builtin_expect(n <= ONE_LOAD && from < loads, 1)) {
			memcpy(&word, bits + from / 8, 8);
			word = word >> from % 8 & ((1ull << n) - 1);
		} else {
			word = bits_get(bits, bytes, from, n);
		}
		from += n;
		const uint64_t magnitude = word | (uint64_t)some << n, negative = 0 - (uint64_t)(byte & 1);
		w[i] = (int64_t)((magnitude ^ negative) - negative);
	}
	return !wrong && most <= PLANE_MOST && (from + 7) / 8 == bytes;
}

bool baton_bitplane_get(const uint8_t *in, const uint8_t *end, bool grid, int64_t *w, size_t rows)
{
	const size_t planes = grid ? 2 * rows : rows;
	if ((size_t)(end - in) < planes)
		return false;
	const uint8_t *remainders = in + rows, *bits = in + planes;
	bool good = numbers_get(in, bits, (size_t)(end - bits), w, rows);
	for (size_t i = 0; i < rows && grid; i++) {
		good &= remainders[i] < BATON_GRID_NS;
		w[i] = (int64_t)((uint64_t)w[i] * BATON_GRID_NS + remainders[i] - BATON_GRID_NS / 2);
	}
	return good;
}
