/* Decodes the payload of a column block into rows. The payload is not trusted: every length in it
 * is checked before it is used. Reading a trace spends most of its time in column_words() and in
 * baton_predictor_restore(). */
#include <baton/columns.h>

#include <baton/bitplane.h>
#include <baton/bounds.h>
#include <baton/cores.h>
#include <baton/predict.h>

#include <errno.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <string.h>

const uint8_t *baton_varint_get(const uint8_t *in, const uint8_t *end, uint64_t *out)
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

/* Values of a type lie in [low, low + span]. */
static void column_range(uint8_t type, uint64_t *low, uint64_t *span)
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
static inline uint64_t varint_squeeze(uint64_t w)
{
	w = (w & 0x007f007f007f007f) | (w & 0x7f007f007f007f00) >> 1;
	w = (w & 0x00003fff00003fff) | (w & 0x3fff00003fff0000) >> 2;
	return (w & 0x000000000fffffff) | (w & 0x0fffffff00000000) >> 4;
}

#define VARINT_MORE 0x8080808080808080u /* in each byte: another one follows */

/* What a column's words become: (v - low) > span is out of range. */
struct decoding {
	int64_t *v;
	uint64_t sum; /* of the deltas so far */
	uint64_t low, span;
	bool delta;
	bool bad;
};

static inline void decoding_take(struct decoding *d, bool delta, uint64_t word)
{
	if (delta)
		word = d->sum += (uint64_t)baton_unzigzag(word);
	d->bad |= word - d->low > d->span;
	*d->v++ = (int64_t)word;
}

/* Of which kind a body of the loop below is. */
enum body { BODY_DELTA = 1, BODY_V3 = 2 };

#if defined(__x86_64__)
CORES_V3 static inline void spread8_v3(int64_t *v, uint64_t words)
{
	const __m128i bytes = _mm_cvtsi64_si128((int64_t)words);
	_mm256_storeu_si256((__m256i *)v, _mm256_cvtepu8_epi64(bytes));
	_mm256_storeu_si256((__m256i *)(v + 4), _mm256_cvtepu8_epi64(_mm_srli_si128(bytes, 4)));
}
#else
static inline void spread8_v3(int64_t *v, uint64_t words)
{
	(void)v;
	(void)words;
}
#endif

static inline void spread8(int64_t *v, uint64_t words)
{
	v[0] = words & 0x7f;
	v[1] = words >> 8 & 0x7f;
	v[2] = words >> 16 & 0x7f;
	v[3] = words >> 24 & 0x7f;
	v[4] = words >> 32 & 0x7f;
	v[5] = words >> 40 & 0x7f;
	v[6] = words >> 48 & 0x7f;
	v[7] = words >> 56 & 0x7f;
}

/* Eight deltas that are the same. The values between the first and the last one lie too close for a
 * way around 2^64, so they are in the range of the type when those are. */
static inline void decoding_same8(struct decoding *d, uint64_t word)
{
	const uint64_t each = (uint64_t)baton_unzigzag(word);
	for (unsigned k = 0; k < 8; k++)
		d->v[k] = (int64_t)(d->sum + (k + 1) * each);
	d->sum += 8 * each;
	d->bad |= (uint64_t)d->v[0] - d->low > d->span || d->sum - d->low > d->span;
	d->v += 8;
}

/* Eight words of one byte each. As they are, such values are in the range of every type. */
CORES_BODY void decoding_take8(struct decoding *d, unsigned body, uint64_t words)
{
	if (body & BODY_DELTA && words == (words & 0x7f) * 0x0101010101010101u) {
		decoding_same8(d, words & 0x7f);
	} else if (body & BODY_DELTA) {
		for (unsigned k = 0; k < 64; k += 8)
			decoding_take(d, true, words >> k & 0x7f);
	} else {
		(body & BODY_V3 ? spread8_v3 : spread8)(d->v, words);
		d->v += 8;
	}
}

/* All words of a delta or plain column: 8 bytes at a time while as many are left, which is at least
 * one varint, often two, or eight of one byte. Returns where they end, NULL when one is malformed.
 * Always inlined: one body for each encoding, its state in registers. */
CORES_BODY const uint8_t *column_words(struct decoding *d, unsigned body, const uint8_t *in,
									   const uint8_t *end, size_t rows)
{
	uint64_t word;
	const int64_t *last = d->v + rows;
	while (last - d->v >= 8 && end - in >= 8) {
		memcpy(&word, in, 8);
		uint64_t ends = ~word & VARINT_MORE;
		if (ends == VARINT_MORE) {
			decoding_take8(d, body, word);
			in += 8;
			continue;
		}
		if (!ends) { /* nine or ten bytes */
			in = baton_varint_get(in, end, &word);
			if (!in)
				return NULL;
			decoding_take(d, body & BODY_DELTA, word);
			continue;
		}
		unsigned bits = (unsigned)__builtin_ctzll(ends) + 1;
		decoding_take(d, body & BODY_DELTA, varint_squeeze(word & (ends ^ (ends - 1))));
		ends &= ends - 1;
		if (ends) {
			uint64_t second = word & (ends ^ (ends - 1));
			decoding_take(d, body & BODY_DELTA, varint_squeeze(second >> bits));
			bits = (unsigned)__builtin_ctzll(ends) + 1;
		}
		in += bits / 8;
	}
	while (d->v < last) {
		in = baton_varint_get(in, end, &word);
		if (!in)
			return NULL;
		decoding_take(d, body & BODY_DELTA, word);
	}
	return in;
}

static const uint8_t *column_get(struct decoding *d, const uint8_t *in, const uint8_t *end,
								 size_t rows)
{
	return d->delta ? column_words(d, BODY_DELTA, in, end, rows)
					: column_words(d, 0, in, end, rows);
}

CORES_V3 static const uint8_t *column_get_v3(struct decoding *d, const uint8_t *in,
											 const uint8_t *end, size_t rows)
{
	return d->delta ? column_words(d, BODY_V3 | BODY_DELTA, in, end, rows)
					: column_words(d, BODY_V3, in, end, rows);
}

static bool column_ends(struct decoding *d, const uint8_t *in, const uint8_t *end, size_t rows)
{
	return (cores_have_v3() ? column_get_v3 : column_get)(d, in, end, rows) == end;
}

static bool column_in_range(uint8_t type, const int64_t *v, size_t rows)
{
	uint64_t low, span;
	bool bad = false;
	column_range(type, &low, &span);
	for (size_t i = 0; i < rows; i++)
		bad |= (uint64_t)v[i] - low > span;
	return !bad;
}

/* A column that is composed. The range of times is columns_times_ok()'s. */
static bool composed_in_range(const struct baton_table *table, unsigned column, const int64_t *v,
							  size_t rows)
{
	return column <= ROW_DUR || column_in_range(table->columns[column].type, v, rows);
}

/* What a composed column stores: its unit, and a number for each row. */
static bool composed_get(const uint8_t *in, const uint8_t *end, uint8_t encoding, int64_t *v,
						 size_t rows, uint64_t *unit)
{
	struct decoding d = {.v = v, .span = UINT64_MAX};
	const unsigned storage = baton_composed_storage(encoding);
	in = baton_varint_get(in, end, unit);
	if (!in || *unit == 0 || storage > BATON_STORE_GRID || (encoding & 0x60))
		return false;
	if (storage != BATON_STORE_VARINT)
		return baton_bitplane_get(in, end, storage == BATON_STORE_GRID, v, rows);
	if (!column_ends(&d, in, end, rows))
		return false;
	for (size_t i = 0; i < rows; i++)
		v[i] = baton_unzigzag((uint64_t)v[i]);
	return true;
}

bool baton_column_decode(const uint8_t *in, const uint8_t *end, uint8_t encoding, uint8_t type,
						 int64_t *v, size_t rows)
{
	struct decoding d = {.v = v, .delta = encoding == BATON_ENC_DELTA};
	uint64_t word = 0;
	column_range(type, &d.low, &d.span);
	switch (encoding) {
	case BATON_ENC_CONSTANT:
		in = baton_varint_get(in, end, &word);
		word = (uint64_t)baton_unzigzag(word);
		for (size_t i = 0; in == end && i < rows; i++)
			v[i] = (int64_t)word;
		return in == end && (rows == 0 || word - d.low <= d.span);
	case BATON_ENC_DELTA:
	case BATON_ENC_PLAIN:
		return column_ends(&d, in, end, rows) && !d.bad;
	default:
		return false;
	}
}

/* ---- composed encodings ---- */

/* The columns of a payload that are not decoded yet: their numbers are there, and wait for the
 * columns that predict them. */
struct composed {
	unsigned n;
	uint8_t column[BATON_MAX_COLUMNS];
	struct baton_predictor at[BATON_MAX_COLUMNS];
	struct baton_means means[2]; /* of start_ns and dur_ns */
};

static bool composed_add(struct composed *composed, unsigned column, uint8_t encoding,
						 uint64_t unit, int64_t first)
{
	if ((baton_composed_basis(encoding) == BATON_BASIS_END && column != ROW_START) ||
		(encoding & BATON_ENC_MEAN && column > ROW_DUR))
		return false;
	struct baton_predictor *p = &composed->at[composed->n];
	composed->column[composed->n++] = (uint8_t)column;
	baton_predictor_clear(p, encoding, unit, first);
	if (encoding & BATON_ENC_MEAN)
		baton_predictor_use(p, &composed->means[column]);
	return true;
}

enum { PLACED_ROWS = 512 }; /* at a time */

static void composed_rows(struct composed *composed, int64_t *const columns[BATON_MAX_COLUMNS],
						  const struct baton_place *places, size_t from, size_t n)
{
	for (int ends = 0; ends <= 1; ends++) /* an end is known once its duration is */
		for (unsigned k = 0; k < composed->n; k++) {
			struct baton_predictor *p = &composed->at[k];
			if ((baton_composed_basis(p->encoding) == BATON_BASIS_END) == ends)
				baton_predictor_restore(p, columns[composed->column[k]] + from,
										columns[ROW_DUR] + from, places, n);
		}
}

/* Decodes what is left, once all other columns are. False: chains or names are not there, or there
 * are too many chains, or a value is out of its type's range. */
static bool composed_restore(struct composed *composed, const struct baton_table *table,
							 int64_t *const columns[BATON_MAX_COLUMNS], size_t rows)
{
	struct baton_place places[PLACED_ROWS];
	struct baton_chains chains;
	baton_chains_clear(&chains);
	for (size_t at = 0; at < rows; at += PLACED_ROWS) {
		const size_t n = rows - at < PLACED_ROWS ? rows - at : (size_t)PLACED_ROWS;
		const uint32_t known = chains.n;
		if (!baton_chains_place(&chains, columns[table->chain] + at, columns[table->name_of] + at,
								n, places))
			return false;
		for (unsigned k = 0; k < composed->n; k++)
			baton_predictor_chains(&composed->at[k], known, chains.n);
		composed_rows(composed, columns, places, at, n);
	}
	bool good = true;
	for (unsigned k = 0; k < composed->n; k++)
		good &= composed_in_range(table, composed->column[k], columns[composed->column[k]], rows);
	return good;
}

/* Durations in their range, and no end beyond an int64_t. */
static bool durations_ok(const int64_t *start, const int64_t *dur, size_t rows)
{
	bool good = column_in_range(BATON_T_DURATION, dur, rows);
	for (size_t i = 0; i < rows; i++) {
		int64_t end;
		good &= !__builtin_add_overflow(start[i], dur[i], &end);
	}
	return good;
}

/* What the times of rows are like. */
struct times {
	int64_t t_max;
	uint64_t dur_bits; /* that any duration has */
	bool back;         /* a row begins before the one before it */
};

typedef int64_t four __attribute__((vector_size(32)));
typedef uint64_t four_bits __attribute__((vector_size(32)));

CORES_BODY void times_take(struct times *out, const int64_t *start, const int64_t *dur, size_t i)
{
	const int64_t end = (int64_t)((uint64_t)start[i] + (uint64_t)dur[i]);
	out->back |= i > 0 && start[i] < start[i - 1];
	out->t_max = end > out->t_max ? end : out->t_max;
	out->dur_bits |= (uint64_t)dur[i];
}

/* Of one row or more: the first one alone, then four at a time, then what is left. */
CORES_BODY void times_look(const int64_t *start, const int64_t *dur, size_t rows, struct times *out)
{
	four most = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN}, bits = {0}, back = {0};
	size_t i = 1;
	*out = (struct times){.t_max = INT64_MIN};
	times_take(out, start, dur, 0);
	for (; i + 4 <= rows; i += 4) {
		four before, begin, ns;
		memcpy(&before, start + i - 1, sizeof(before));
		memcpy(&begin, start + i, sizeof(begin));
		memcpy(&ns, dur + i, sizeof(ns));
		const four end = (four)((four_bits)begin + (four_bits)ns), later = end > most;
		back |= begin < before;
		most = (end & later) | (most & ~later);
		bits |= ns;
	}
	for (; i < rows; i++)
		times_take(out, start, dur, i);
	for (unsigned k = 0; k < 4; k++) {
		out->back |= back[k] != 0;
		out->t_max = most[k] > out->t_max ? most[k] : out->t_max;
		out->dur_bits |= (uint64_t)bits[k];
	}
}

static void times_look_plain(const int64_t *start, const int64_t *dur, size_t rows,
							 struct times *out)
{
	times_look(start, dur, rows, out);
}

CORES_V3 static void times_look_v3(const int64_t *start, const int64_t *dur, size_t rows,
								   struct times *out)
{
	times_look(start, dur, rows, out);
}

/* The rows' times: in the range of their types, in order, as the block header says. */
static bool columns_times_ok(const int64_t *start, const int64_t *dur, size_t rows,
							 int64_t t_min_ns, int64_t t_max_ns)
{
	struct times times;
	if (rows == 0)
		return t_min_ns == 0 && t_max_ns == 0;
	(cores_have_v3() ? times_look_v3 : times_look_plain)(start, dur, rows, &times);
	if (times.back || start[0] < -BATON_TIME_LIMIT_NS || start[rows - 1] > BATON_TIME_LIMIT_NS)
		return false;
	if (times.dur_bits >= (uint64_t)BATON_TIME_LIMIT_NS && !durations_ok(start, dur, rows))
		return false; /* shorter ones are in their range, and no end wraps */
	return start[0] == t_min_ns && times.t_max == t_max_ns;
}

/* One known column: decoded, or kept in `composed` until the others are. */
static bool column_take(const struct baton_table *table, unsigned column, uint8_t encoding,
						const uint8_t *in, const uint8_t *end,
						const struct baton_block_header *header, int64_t *v,
						struct composed *composed)
{
	const uint8_t type = table->columns[column].type;
	if (!(encoding & BATON_ENC_COMPOSED))
		return baton_column_decode(in, end, encoding, type, v, header->rows);
	uint64_t unit;
	const int64_t first = column == ROW_START ? header->t_min_ns : 0;
	if (!composed_get(in, end, encoding, v, header->rows, &unit))
		return false;
	if (baton_composed_chained(encoding))
		return column != table->chain && column != table->name_of &&
			   composed_add(composed, column, encoding, unit, first);
	struct baton_predictor alone;
	baton_predictor_clear(&alone, encoding, unit, first);
	baton_predictor_restore(&alone, v, NULL, NULL, header->rows);
	return composed_in_range(table, column, v, header->rows);
}

int baton_columns_decode(const struct baton_table *table, const struct baton_block_header *header,
						 const uint8_t *payload, int64_t *const columns[BATON_MAX_COLUMNS],
						 uint32_t *present)
{
	const uint8_t *end = payload + header->raw_bytes;
	uint32_t n;
	*present = 0;
	if (header->raw_bytes < 4)
		return -EBADMSG;
	memcpy(&n, payload, 4);
	if (n > BATON_MAX_DIRECTORY || !baton_holds(header->raw_bytes, 4, n, 8))
		return -EBADMSG;
	const uint8_t *directory = payload + 4, *data = directory + 8 * (size_t)n;
	uint8_t seen[8192] = {0};
	struct composed composed;
	composed.n = 0;
	for (uint32_t k = 0; k < n; k++, directory += 8) {
		uint16_t id;
		uint32_t bytes;
		memcpy(&id, directory, 2);
		memcpy(&bytes, directory + 4, 4);
		if (bytes > (size_t)(end - data) || seen[id / 8] & (1u << id % 8))
			return -EBADMSG;
		seen[id / 8] |= (uint8_t)(1u << id % 8);
		if (id >= 1 && id <= table->n_columns) {
			if (!column_take(table, id - 1u, directory[2], data, data + bytes, header,
							 columns[id - 1], &composed))
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
	if (composed.n && !composed_restore(&composed, table, columns, header->rows))
		return -EBADMSG;
	if (!columns_times_ok(columns[ROW_START], columns[ROW_DUR], header->rows, header->t_min_ns,
						  header->t_max_ns))
		return -EBADMSG;
	return 0;
}
