/* The column codec: every encoding gives back what went in, and hostile payloads are refused. */
#include "check.h"

#include <baton/columns.h>
#include <baton/encoder.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { ROWS = 1000 };

static int64_t extremes[] = {0,    1,         -1,        127,           128,
							 -128, INT64_MAX, INT64_MIN, INT64_MIN + 1, 1 << 30};

static void varints(void)
{
	uint8_t buffer[BATON_VARINT_MAX];
	for (size_t i = 0; i < sizeof(extremes) / sizeof(extremes[0]); i++) {
		uint64_t word = (uint64_t)extremes[i], back = 0;
		uint8_t *end = baton_varint_put(buffer, word);
		CHECK((size_t)(end - buffer) == baton_varint_size(word), "size of %lld",
			  (long long)extremes[i]);
		CHECK(baton_varint_get(buffer, end, &back) == end && back == word, "varint of %lld",
			  (long long)extremes[i]);
		CHECK(baton_varint_get(buffer, end - 1, &back) == NULL, "a cut varint is read");
		CHECK(baton_unzigzag(baton_zigzag(extremes[i])) == extremes[i], "zigzag of %lld",
			  (long long)extremes[i]);
	}
	uint8_t long_form[11] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0};
	uint64_t word;
	CHECK(baton_varint_get(long_form, long_form + 11, &word) == NULL, "an 11-byte varint is read");
}

static void encodings(void)
{
	int64_t values[ROWS], back[ROWS];
	uint8_t *buffer = malloc(ROWS * BATON_VARINT_MAX);
	for (int pattern = 0; pattern < 3; pattern++) {
		for (int i = 0; i < ROWS; i++)
			values[i] = pattern == 0 ? 7 : pattern == 1 ? 1000000 + 3 * i : extremes[i % 10];
		for (uint8_t encoding = pattern == 0 ? 0 : 1; encoding <= BATON_ENC_PLAIN; encoding++) {
			uint8_t *end = baton_column_put(buffer, encoding, values, ROWS);
			CHECK(baton_column_decode(buffer, end, encoding, BATON_T_U64, back, ROWS),
				  "encoding %d is not read back", encoding);
			CHECK(memcmp(values, back, sizeof(values)) == 0, "encoding %d changes values",
				  encoding);
			CHECK(!baton_column_decode(buffer, end - 1, encoding, BATON_T_U64, back, ROWS),
				  "a cut column is read");
		}
	}
	free(buffer);
}

/* Words of all lengths, in all orders of two: the long way and the 8-bytes-at-a-time way agree, and
 * a longer form of the same number is one too. */
static void lengths(void)
{
	int64_t back[ROWS];
	uint64_t want[ROWS];
	uint8_t *buffer = malloc(ROWS * (BATON_VARINT_MAX + 1)), *end = buffer;
	for (unsigned i = 0; i < ROWS; i++) {
		unsigned bits = (i % 64 + i / 64 * 7) % 64;
		want[i] = (i % 5 ? UINT64_C(1) << bits : (UINT64_C(2) << bits) - 1) ^ (i & 1);
		end = baton_varint_put(end, want[i]);
		if (i % 11 == 0 && baton_varint_size(want[i]) < 9) { /* one byte more, of nothing */
			end[-1] |= 0x80;
			*end++ = 0;
		}
	}
	CHECK(baton_column_decode(buffer, end, BATON_ENC_PLAIN, BATON_T_U64, back, ROWS),
		  "lengths are refused");
	CHECK(memcmp(want, back, sizeof(want)) == 0, "lengths change values");
	CHECK(!baton_column_decode(buffer, end, BATON_ENC_PLAIN, BATON_T_U64, back, ROWS - 1),
		  "bytes too many are accepted");
	memset(buffer, 0x80, 16);
	CHECK(!baton_column_decode(buffer, buffer + 16, BATON_ENC_PLAIN, BATON_T_U64, back, 1),
		  "an endless varint is read");
	free(buffer);
}

/* The least and the greatest value of each type, and the ones beyond. */
static void ranges(void)
{
	static const struct {
		uint8_t type;
		int64_t low, high;
	} types[] = {{BATON_T_TIME, -BATON_TIME_LIMIT_NS, BATON_TIME_LIMIT_NS},
				 {BATON_T_DURATION, 0, BATON_TIME_LIMIT_NS},
				 {BATON_T_U8, 0, UINT8_MAX},
				 {BATON_T_U32, 0, UINT32_MAX},
				 {BATON_T_STRING, 0, UINT32_MAX},
				 {BATON_T_ID, 0, UINT32_MAX}};
	int64_t v[9] = {0}, back[9];
	uint8_t buffer[9 * BATON_VARINT_MAX];
	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++)
		for (int at = 0; at < 9; at += 4) /* in the words and behind them */
			for (uint8_t encoding = BATON_ENC_CONSTANT; encoding <= BATON_ENC_PLAIN; encoding++)
				for (int k = -1; k <= 1; k++) {
					size_t rows = encoding == BATON_ENC_CONSTANT ? 1 : 9;
					int i = rows == 1 ? 0 : at;
					v[i] = types[t].low + k;
					uint8_t *end = baton_column_put(buffer, encoding, v, rows);
					CHECK(baton_column_decode(buffer, end, encoding, types[t].type, back, rows) ==
							  (k >= 0),
						  "low end of type %d, encoding %d, %+d", types[t].type, encoding, k);
					v[i] = types[t].high + k;
					end = baton_column_put(buffer, encoding, v, rows);
					CHECK(baton_column_decode(buffer, end, encoding, types[t].type, back, rows) ==
							  (k <= 0),
						  "high end of type %d, encoding %d, %+d", types[t].type, encoding, k);
					v[i] = 0;
				}
}

static void payload(void)
{
	const struct baton_table *table = baton_table(BATON_CALL);
	int64_t data[CALL_COLUMNS][ROWS], room[CALL_COLUMNS][ROWS], *columns[BATON_MAX_COLUMNS] = {0},
																*out[BATON_MAX_COLUMNS] = {0};
	for (int c = 0; c < CALL_COLUMNS; c++) {
		columns[c] = data[c];
		out[c] = room[c];
		for (int i = 0; i < ROWS; i++)
			data[c][i] = c == CALL_START ? 10 * i : c + i % 5;
	}
	uint8_t *buffer = malloc(baton_columns_bound(ROWS, CALL_COLUMNS));
	struct baton_block_header header = {
		.rows = ROWS, .t_min_ns = 0, .t_max_ns = 10 * (ROWS - 1) + 1 + (ROWS - 1) % 5};
	uint32_t present;
	struct baton_parts parts;
	struct baton_encoder encoder;
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	CHECK(baton_encoder_open(&encoder, zstd, ROWS) == 0, "no encoder");
	header.raw_bytes =
		(uint32_t)baton_encoder_payload(&encoder, table, columns, ROWS, buffer, &parts);
	CHECK(baton_columns_decode(table, &header, buffer, out, &present) == 0,
		  "a good payload is refused");
	CHECK(memcmp(data, room, sizeof(data)) == 0, "a payload changes values");
	header.t_max_ns++;
	CHECK(baton_columns_decode(table, &header, buffer, out, &present) != 0,
		  "a wrong t_max_ns is accepted");
	header.t_max_ns--;
	for (uint32_t cut = 0; cut < header.raw_bytes;
		 cut += 7) { /* every shorter payload is refused, none read beyond */
		struct baton_block_header shorter = header;
		shorter.raw_bytes = cut;
		CHECK(baton_columns_decode(table, &shorter, buffer, out, &present) != 0,
			  "a payload cut at %u is accepted", cut);
	}
	free(buffer);
	baton_encoder_close(&encoder);
	ZSTD_freeCCtx(zstd);
}

int main(void)
{
	varints();
	encodings();
	lengths();
	ranges();
	payload();
	return finish();
}
