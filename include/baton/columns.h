/* Column blocks (docs/FORMAT.md section 4): varints, encodings, one payload in and out. The caller
 * provides all memory; nothing allocates or does I/O, so any thread may call it. The code is in
 * codec/columns_encode.c and codec/columns_decode.c (with predict.c and bitplane_get.c); compile
 * them into your program. baton/encoder.h makes payloads. */
#ifndef BATON_COLUMNS_H
#define BATON_COLUMNS_H

#include <baton/format.h>
#include <stdbool.h>

enum { BATON_ENC_CONSTANT = 0, BATON_ENC_DELTA = 1, BATON_ENC_PLAIN = 2 };

#define BATON_VARINT_MAX 10 /* bytes */

static inline uint64_t baton_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t baton_unzigzag(uint64_t v)
{
	return (int64_t)((v >> 1) ^ (0 - (v & 1)));
}

/* The bytes that baton_varint_put() writes for `v`: 1 to BATON_VARINT_MAX. */
unsigned baton_varint_size(uint64_t v);
/* Writes `v` to `out`, which has room for it; returns the byte after it. */
uint8_t *baton_varint_put(uint8_t *out, uint64_t v);
/* Reads one varint from [in, end); returns the byte after it, NULL when it is malformed. */
const uint8_t *baton_varint_get(const uint8_t *in, const uint8_t *end, uint64_t *out);

/* Encodes one column of `rows` values. `out` has room for BATON_VARINT_MAX bytes per value, and for
 * one value at least. Returns the byte after the column. */
uint8_t *baton_column_put(uint8_t *out, uint8_t encoding, const int64_t *v, size_t rows);
/* Decodes one column of `type` (enum baton_column_type), which fills [in, end), into `rows` values.
 * False when it is malformed. */
bool baton_column_decode(const uint8_t *in, const uint8_t *end, uint8_t encoding, uint8_t type,
						 int64_t *v, size_t rows);

/* An upper bound, in bytes, of the payload of `rows` rows in `columns` columns. */
size_t baton_columns_bound(size_t rows, size_t columns);
/* Decodes a payload of header->raw_bytes bytes. columns[i] has room for header->rows values of
 * column i; bit i of *present tells whether the payload has it. 0, or -EBADMSG for any violation of
 * section 4. Hostile bytes never cause a read or write outside of these buffers. */
int baton_columns_decode(const struct baton_table *table, const struct baton_block_header *header,
						 const uint8_t *payload, int64_t *const columns[BATON_MAX_COLUMNS],
						 uint32_t *present);

#endif
