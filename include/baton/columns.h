/* Column blocks (docs/FORMAT.md section 4): varints, encodings, one payload in and out.
 * Pure functions over caller's memory; hostile input gives -EBADMSG, never a read or write outside.
 */
#ifndef BATON_COLUMNS_H
#define BATON_COLUMNS_H

#include <baton/format.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

enum { BATON_ENC_CONSTANT = 0, BATON_ENC_DELTA = 1, BATON_ENC_PLAIN = 2 };

#define BATON_VARINT_MAX 10

static inline uint64_t baton_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

static inline int64_t baton_unzigzag(uint64_t v)
{
	return (int64_t)((v >> 1) ^ (0 - (v & 1)));
}

static inline unsigned baton_varint_size(uint64_t v)
{
	return v == 0 ? 1 : (unsigned)(63 - __builtin_clzll(v)) / 7 + 1;
}

static inline uint8_t *baton_varint_put(uint8_t *out, uint64_t v)
{
	while (v >= 0x80) {
		*out++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*out++ = (uint8_t)v;
	return out;
}

/* Reads one varint from [in, end); returns the byte after it, NULL when it is malformed. */
static inline const uint8_t *baton_varint_get(const uint8_t *in, const uint8_t *end, uint64_t *out)
{
	if (in < end && *in < 0x80) {
		*out = *in;
		return in + 1;
	}
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 70 && in < end; shift += 7) {
		uint8_t byte = *in++;
		if (shift == 63 && byte > 1)
			return NULL;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*out = v;
			return in;
		}
	}
	return NULL;
}

/* An upper bound of the payload of `rows` rows in `columns` columns. */
static inline size_t baton_columns_bound(size_t rows, size_t columns)
{
	return 4 + columns * 8 + columns * (rows + 1) * BATON_VARINT_MAX;
}

/* The cheapest encoding of one column: all equal, else the smaller of delta and plain. */
static inline uint8_t baton_column_choose(const int64_t *v, size_t rows)
{
	size_t delta = 0, plain = 0;
	bool constant = true;
	int64_t before = 0;
	for (size_t i = 0; i < rows; i++) {
		constant = constant && v[i] == v[0];
		delta += baton_varint_size(baton_zigzag((int64_t)((uint64_t)v[i] - (uint64_t)before)));
		plain += baton_varint_size((uint64_t)v[i]);
		before = v[i];
	}
	if (constant)
		return BATON_ENC_CONSTANT;
	return delta < plain ? BATON_ENC_DELTA : BATON_ENC_PLAIN;
}

static inline uint8_t *baton_column_put(uint8_t *out, uint8_t encoding, const int64_t *v,
										size_t rows)
{
	if (encoding == BATON_ENC_CONSTANT)
		return baton_varint_put(out, baton_zigzag(rows ? v[0] : 0));
	int64_t before = 0;
	for (size_t i = 0; i < rows; i++) {
		uint64_t word = (uint64_t)v[i];
		if (encoding == BATON_ENC_DELTA)
			word = baton_zigzag((int64_t)(word - (uint64_t)before));
		out = baton_varint_put(out, word);
		before = v[i];
	}
	return out;
}

/* Encodes `rows` rows; columns[i] is column i of the table or NULL when the source lacks it.
 * `out` has baton_columns_bound() bytes. Returns the payload's size. */
static inline size_t baton_columns_encode(const struct baton_table *table,
										  int64_t *const columns[BATON_MAX_COLUMNS], size_t rows,
										  uint8_t *out)
{
	uint32_t n = 0;
	for (unsigned c = 0; c < table->n_columns; c++)
		n += columns[c] != NULL;
	uint8_t *directory = out + 4, *data = directory + 8 * (size_t)n;
	memcpy(out, &n, 4);
	for (unsigned c = 0; c < table->n_columns; c++) {
		if (!columns[c])
			continue;
		uint8_t encoding = baton_column_choose(columns[c], rows);
		uint8_t *end = baton_column_put(data, encoding, columns[c], rows);
		uint16_t id = (uint16_t)(c + 1);
		uint32_t bytes = (uint32_t)(end - data);
		memcpy(directory, &id, 2);
		directory[2] = encoding;
		directory[3] = 0;
		memcpy(directory + 4, &bytes, 4);
		directory += 8;
		data = end;
	}
	return (size_t)(data - out);
}

/* Values of a type lie in [low, low + span]. */
static inline void baton_column_range(uint8_t type, uint64_t *low, uint64_t *span)
{
	*low = type == BATON_T_TIME ? (uint64_t)-BATON_TIME_LIMIT_NS : 0;
	switch (type) {
	case BATON_T_U64:
		*span = UINT64_MAX;
		break;
	case BATON_T_TIME:
		*span = 2 * (uint64_t)BATON_TIME_LIMIT_NS;
		break;
	case BATON_T_DURATION:
		*span = BATON_TIME_LIMIT_NS;
		break;
	case BATON_T_U8:
		*span = UINT8_MAX;
		break;
	default:
		*span = UINT32_MAX;
		break;
	}
}

/* The seven low bits of each of eight bytes, side by side. */
static inline uint64_t baton_varint_squeeze(uint64_t w)
{
	w = (w & 0x007f007f007f007f) | (w & 0x7f007f007f007f00) >> 1;
	w = (w & 0x00003fff00003fff) | (w & 0x3fff00003fff0000) >> 2;
	return (w & 0x000000000fffffff) | (w & 0x0fffffff00000000) >> 4;
}

#define BATON_VARINT_MORE 0x8080808080808080u /* in each byte: another one follows */

/* What a column's words become: (v - low) > span is out of range. */
struct baton_decoding {
	int64_t *v;
	uint64_t sum; /* of the deltas so far */
	uint64_t low, span;
	bool bad;
};

static inline void baton_decoding_take(struct baton_decoding *d, bool delta, uint64_t word)
{
	if (delta)
		word = d->sum += (uint64_t)baton_unzigzag(word);
	d->bad |= word - d->low > d->span;
	*d->v++ = (int64_t)word;
}

/* Eight words of one byte each. As they are, such values are in the range of every type. */
static inline void baton_decoding_take8(struct baton_decoding *d, bool delta, uint64_t words)
{
	if (delta) {
		for (unsigned k = 0; k < 64; k += 8)
			baton_decoding_take(d, true, words >> k & 0x7f);
		return;
	}
	d->v[0] = words & 0x7f;
	d->v[1] = words >> 8 & 0x7f;
	d->v[2] = words >> 16 & 0x7f;
	d->v[3] = words >> 24 & 0x7f;
	d->v[4] = words >> 32 & 0x7f;
	d->v[5] = words >> 40 & 0x7f;
	d->v[6] = words >> 48 & 0x7f;
	d->v[7] = words >> 56 & 0x7f;
	d->v += 8;
}

/* All words of a delta or plain column: 8 bytes at a time while as many are left, which is at least
 * one varint, often two, or eight of one byte. Returns where they end, NULL when one is malformed.
 */
__attribute__((always_inline)) /* one body for each encoding, its state in registers */
static inline const uint8_t *
baton_column_words(struct baton_decoding *d, bool delta, const uint8_t *in, const uint8_t *end,
				   size_t rows)
{
	uint64_t word;
	const int64_t *last = d->v + rows;
	while (last - d->v >= 8 && end - in >= 8) {
		memcpy(&word, in, 8);
		uint64_t ends = ~word & BATON_VARINT_MORE;
		if (ends == BATON_VARINT_MORE) {
			baton_decoding_take8(d, delta, word);
			in += 8;
			continue;
		}
		if (!ends) { /* nine or ten bytes */
			in = baton_varint_get(in, end, &word);
			if (!in)
				return NULL;
			baton_decoding_take(d, delta, word);
			continue;
		}
		unsigned bits = (unsigned)__builtin_ctzll(ends) + 1;
		baton_decoding_take(d, delta, baton_varint_squeeze(word & (ends ^ (ends - 1))));
		ends &= ends - 1;
		if (ends) {
			uint64_t second = word & (ends ^ (ends - 1));
			baton_decoding_take(d, delta, baton_varint_squeeze(second >> bits));
			bits = (unsigned)__builtin_ctzll(ends) + 1;
		}
		in += bits / 8;
	}
	while (d->v < last) {
		in = baton_varint_get(in, end, &word);
		if (!in)
			return NULL;
		baton_decoding_take(d, delta, word);
	}
	return in;
}

/* Decodes one column of `type`; false when anything is wrong with it. */
static inline bool baton_column_decode(const uint8_t *in, const uint8_t *end, uint8_t encoding,
									   uint8_t type, int64_t *v, size_t rows)
{
	struct baton_decoding d = {.v = v};
	uint64_t word = 0;
	baton_column_range(type, &d.low, &d.span);
	switch (encoding) {
	case BATON_ENC_CONSTANT:
		in = baton_varint_get(in, end, &word);
		word = (uint64_t)baton_unzigzag(word);
		for (size_t i = 0; in == end && i < rows; i++)
			v[i] = (int64_t)word;
		return in == end && (rows == 0 || word - d.low <= d.span);
	case BATON_ENC_DELTA:
		return baton_column_words(&d, true, in, end, rows) == end && !d.bad;
	case BATON_ENC_PLAIN:
		return baton_column_words(&d, false, in, end, rows) == end && !d.bad;
	default:
		return false;
	}
}

/* The rows' times against each other and against the block header. */
static inline bool baton_columns_times_ok(const int64_t *start, const int64_t *dur, size_t rows,
										  int64_t t_min_ns, int64_t t_max_ns)
{
	if (rows == 0)
		return t_min_ns == 0 && t_max_ns == 0;
	int64_t t_max = INT64_MIN, before = start[0];
	bool good = true;
	for (size_t i = 0; i < rows; i++) {
		int64_t end = 0;
		good &= start[i] >= before && !__builtin_add_overflow(start[i], dur[i], &end);
		before = start[i];
		t_max = end > t_max ? end : t_max;
	}
	return good && start[0] == t_min_ns && t_max == t_max_ns;
}

/* Decodes a payload. columns[i] points at room for `rows` values of column i; bit i of *present
 * says whether it was there. Returns 0, or -EBADMSG for any violation of section 4. */
static inline int baton_columns_decode(const struct baton_table *table,
									   const struct baton_block_header *header,
									   const uint8_t *payload,
									   int64_t *const columns[BATON_MAX_COLUMNS], uint32_t *present)
{
	const uint8_t *end = payload + header->raw_bytes;
	uint32_t n;
	*present = 0;
	if (header->raw_bytes < 4)
		return -EBADMSG;
	memcpy(&n, payload, 4);
	if (n > BATON_MAX_DIRECTORY || 4 + 8 * (uint64_t)n > header->raw_bytes)
		return -EBADMSG;
	const uint8_t *directory = payload + 4, *data = directory + 8 * (size_t)n;
	uint8_t seen[8192] = {0};
	for (uint32_t k = 0; k < n; k++, directory += 8) {
		uint16_t id;
		uint32_t bytes;
		memcpy(&id, directory, 2);
		memcpy(&bytes, directory + 4, 4);
		if (bytes > (size_t)(end - data) || seen[id / 8] & (1u << id % 8))
			return -EBADMSG;
		seen[id / 8] |= (uint8_t)(1u << id % 8);
		if (id >= 1 && id <= table->n_columns) {
			if (!baton_column_decode(data, data + bytes, directory[2], table->columns[id - 1].type,
									 columns[id - 1], header->rows))
				return -EBADMSG;
			*present |= 1u << (id - 1);
		}
		data += bytes;
	}
	if (data != end)
		return -EBADMSG;
	for (unsigned c = 0; c < table->n_columns; c++)
		if (table->columns[c].required && !(*present & (1u << c)))
			return -EBADMSG;
	if (!baton_columns_times_ok(columns[ROW_START], columns[ROW_DUR], header->rows,
								header->t_min_ns, header->t_max_ns))
		return -EBADMSG;
	return 0;
}

#endif
