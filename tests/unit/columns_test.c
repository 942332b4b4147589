/* The column codec: every encoding gives back what went in, and hostile payloads are refused. */
#include "check.h"

#include <baton/columns.h>
#include <stdlib.h>

enum { ROWS = 1000 };

static int64_t extremes[] = {0, 1, -1, 127, 128, -128, INT64_MAX, INT64_MIN, INT64_MIN + 1, 1 << 30};

static void varints(void)
{
	uint8_t buffer[BATON_VARINT_MAX];
	for (size_t i = 0; i < sizeof(extremes) / sizeof(extremes[0]); i++) {
		uint64_t word = (uint64_t)extremes[i], back = 0;
		uint8_t *end = baton_varint_put(buffer, word);
		CHECK((size_t)(end - buffer) == baton_varint_size(word), "size of %lld", (long long)extremes[i]);
		CHECK(baton_varint_get(buffer, end, &back) == end && back == word, "varint of %lld", (long long)extremes[i]);
		CHECK(baton_varint_get(buffer, end - 1, &back) == NULL, "a cut varint is read");
		CHECK(baton_unzigzag(baton_zigzag(extremes[i])) == extremes[i], "zigzag of %lld", (long long)extremes[i]);
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
			CHECK(baton_column_get(buffer, end, encoding, back, ROWS), "encoding %d is not read back", encoding);
			CHECK(memcmp(values, back, sizeof(values)) == 0, "encoding %d changes values", encoding);
			CHECK(!baton_column_get(buffer, end - 1, encoding, back, ROWS), "a cut column is read");
		}
	}
	free(buffer);
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
	struct baton_block_header header = {.rows = ROWS, .t_min_ns = 0, .t_max_ns = 10 * (ROWS - 1) + 1 + (ROWS - 1) % 5};
	uint32_t present;
	header.raw_bytes = (uint32_t)baton_columns_encode(table, columns, ROWS, buffer);
	CHECK(baton_columns_decode(table, &header, buffer, out, &present) == 0, "a good payload is refused");
	CHECK(memcmp(data, room, sizeof(data)) == 0, "a payload changes values");
	header.t_max_ns++;
	CHECK(baton_columns_decode(table, &header, buffer, out, &present) != 0, "a wrong t_max_ns is accepted");
	header.t_max_ns--;
	for (uint32_t cut = 0; cut < header.raw_bytes; cut += 7) { /* every shorter payload is refused, none read beyond */
		struct baton_block_header shorter = header;
		shorter.raw_bytes = cut;
		CHECK(baton_columns_decode(table, &shorter, buffer, out, &present) != 0, "a payload cut at %u is accepted", cut);
	}
	free(buffer);
}

int main(void)
{
	varints();
	encodings();
	payload();
	return finish();
}
