/* Reads what bitplane.c writes. Apart from it: libbaton.so only writes, and gets none of this. */
#include <baton/bitplane.h>

#include <baton/cores.h>

#include <string.h>

enum { PLANE_MOST = 129 }; /* 64 bits, negative; 1 is no number's */

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

/* What a byte of the plane below 64 says: the number has so many bits below its highest one, which
 * is `highest`, and is negative where `negative` is -1. */
struct short_code {
	uint32_t below, highest;
	int32_t negative, bits;
};

#define CODES_OF(length)                                               \
	{(1u << (length) >> 1) - 1, 1u << (length) >> 1, 0, (length)-1},   \
	{                                                                  \
		(1u << (length) >> 1) - 1, 1u << (length) >> 1, -1, (length)-1 \
	}
#define CODES_FROM(length) \
	CODES_OF(length), CODES_OF((length) + 1), CODES_OF((length) + 2), CODES_OF((length) + 3)

/* By byte; the length is at most 31 bits. The first two are of the number 0, and of none. */
static const struct short_code short_codes[64] = {
	{0, 0, 0, 0},  {0, 0, 0, 0},   CODES_OF(1),    CODES_OF(2),    CODES_OF(3),    CODES_FROM(4),
	CODES_FROM(8), CODES_FROM(12), CODES_FROM(16), CODES_FROM(20), CODES_FROM(24), CODES_FROM(28),
};

/* The number, whose bits are the lowest of `word`. */
CORES_BODY int64_t short_number(const struct short_code *code, uint64_t word)
{
	const int64_t magnitude = ((uint32_t)word & code->below) + code->highest;
	const int64_t negative = code->negative;
	return (magnitude ^ negative) - negative;
}

/* No number has another byte. */
static bool plane_ok(const uint8_t *plane, size_t rows)
{
	enum { AT_ONCE = 16 };
	uint8_t most[AT_ONCE] = {0}, wrong[AT_ONCE] = {0}, any = 0, all = 0;
	size_t i = 0;
	for (; i + AT_ONCE <= rows; i += AT_ONCE)
		for (unsigned k = 0; k < AT_ONCE; k++) {
			most[k] = plane[i + k] > most[k] ? plane[i + k] : most[k];
			wrong[k] |= plane[i + k] == 1;
		}
	for (; i < rows; i++) {
		all = plane[i] > all ? plane[i] : all;
		any |= plane[i] == 1;
	}
	for (unsigned k = 0; k < AT_ONCE; k++) {
		all = most[k] > all ? most[k] : all;
		any |= wrong[k];
	}
	return !any && all <= PLANE_MOST;
}

/* One number, at bit *from. */
static int64_t any_number(unsigned byte, const uint8_t *bits, size_t bytes, uint64_t *from)
{
	const unsigned n = byte ? byte / 2 - 1 : 0;
	const uint64_t below = bits_get(bits, bytes, *from, n), highest = (uint64_t)(byte != 0) << n;
	const uint64_t negative = 0 - (uint64_t)(byte & 1);
	*from += n;
	return (int64_t)(((below | highest) ^ negative) - negative);
}

/* Reading a trace spends much of its time here: for usual numbers no branch depends on them. The
 * plane is one of numbers. False when the stream has more or fewer bits than those. */
CORES_BODY bool numbers_get(const uint8_t *plane, const uint8_t *bits, size_t bytes, int64_t *w,
							size_t rows)
{
	enum { AT_ONCE = 8, LOADED = AT_ONCE * 32 + 64 }; /* bits that eight short numbers load */
	const uint64_t loads = bytes >= LOADED / 8 ? 8 * (uint64_t)bytes - LOADED : 0;
	uint64_t from = 0, word, eight;
	for (size_t i = 0; i < rows;) {
		eight = UINT64_MAX;
		if (rows - i >= AT_ONCE && from < loads)
			memcpy(&eight, plane + i, sizeof(eight));
		if (eight & 0xC0C0C0C0C0C0C0C0u) {
			w[i] = any_number(plane[i], bits, bytes, &from);
			i++;
			continue;
		}
#pragma GCC unroll 8
		for (unsigned k = 0; k < AT_ONCE; k++, i++) {
			const struct short_code *code = &short_codes[plane[i]];
			memcpy(&word, bits + from / 8, 8);
			w[i] = short_number(code, word >> from % 8);
			from += (uint32_t)code->bits;
		}
	}
	return (from + 7) / 8 == bytes;
}

static bool numbers_plain(const uint8_t *plane, const uint8_t *bits, size_t bytes, int64_t *w,
						  size_t rows)
{
	return numbers_get(plane, bits, bytes, w, rows);
}

CORES_V3 static bool numbers_v3(const uint8_t *plane, const uint8_t *bits, size_t bytes, int64_t *w,
								size_t rows)
{
	return numbers_get(plane, bits, bytes, w, rows);
}

bool baton_bitplane_get(const uint8_t *in, const uint8_t *end, bool grid, int64_t *w, size_t rows)
{
	const size_t planes = grid ? 2 * rows : rows;
	if ((size_t)(end - in) < planes)
		return false;
	const uint8_t *remainders = in + rows, *bits = in + planes;
	if (!plane_ok(in, rows)) /* before: a length is at most 64 from here on */
		return false;
	bool good =
		(cores_have_v3() ? numbers_v3 : numbers_plain)(in, bits, (size_t)(end - bits), w, rows);
	for (size_t i = 0; i < rows && grid; i++) {
		good &= remainders[i] < BATON_GRID_NS;
		w[i] = (int64_t)((uint64_t)w[i] * BATON_GRID_NS + remainders[i] - BATON_GRID_NS / 2);
	}
	return good;
}
