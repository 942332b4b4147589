/* Payloads of column blocks: whatever encoding a column gets, the rows come back; what the encoder
 * chooses suits the rows; hostile payloads are refused and nothing is read outside of them. */
#include "check.h"

#include <baton/bitplane.h>
#include <baton/columns.h>
#include <baton/encoder.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { ROWS = 3000 };

static int64_t data[BATON_MAX_COLUMNS][ROWS], room[BATON_MAX_COLUMNS][ROWS];
static int64_t *columns[BATON_MAX_COLUMNS], *out[BATON_MAX_COLUMNS];
static struct baton_encoder encoder;
static uint8_t payload[(ROWS + 2) * BATON_MAX_COLUMNS * BATON_VARINT_MAX + 128];
static uint64_t state = 1;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Rows of a table that look like a trace's: four chains, 20 names in a cycle, noisy times. */
static void make_rows(const struct baton_table *table, int rows, int64_t unit)
{
	int64_t now = 1000000 * unit;
	for (int i = 0; i < rows; i++) {
		now += (int64_t)(draw() % 5000) * unit;
		for (unsigned c = 0; c < table->n_columns; c++)
			data[c][i] = (int64_t)(draw() % 200);
		data[ROW_START][i] = now;
		data[table->chain][i] = i % 4 + 1;
		if (table->name_of != table->chain)
			data[table->name_of][i] = i % 20 + 1;
		data[ROW_DUR][i] = (int64_t)(i % 20 * 10000 + (int)(draw() % 100)) * unit;
	}
}

static struct baton_block_header encode(const struct baton_table *table, size_t rows)
{
	struct baton_parts parts;
	struct baton_block_header header = {
		.rows = (uint32_t)rows, .t_min_ns = data[ROW_START][0], .t_max_ns = INT64_MIN};
	for (size_t i = 0; i < rows; i++) {
		const int64_t end = data[ROW_START][i] + data[ROW_DUR][i];
		header.t_max_ns = end > header.t_max_ns ? end : header.t_max_ns;
	}
	header.raw_bytes =
		(uint32_t)baton_encoder_payload(&encoder, table, columns, rows, payload, &parts);
	uint32_t before = 0;
	for (uint32_t i = 0; i < parts.n; i++) {
		CHECK(parts.at[i].end > before, "part %u of %s is empty", i, table->name);
		before = parts.at[i].end;
	}
	CHECK(before == header.raw_bytes, "the parts of %s do not fill its payload", table->name);
	return header;
}

static bool comes_back(const struct baton_table *table, const struct baton_block_header *header)
{
	uint32_t present;
	if (baton_columns_decode(table, header, payload, out, &present) != 0)
		return false;
	for (unsigned c = 0; c < table->n_columns; c++)
		if (memcmp(data[c], room[c], header->rows * sizeof(int64_t)) != 0)
			return false;
	return true;
}

static uint8_t encoding_of(unsigned column) /* all columns are there, in the order of their ids */
{
	return payload[4 + 8 * column + 2];
}

static void begin(void)
{
	memset(encoder.choices, 0, sizeof(encoder.choices));
}

/* Makes the encoder use one encoding for one column, and simple ones for the others. */
static void force(const struct baton_table *table, unsigned column, uint8_t encoding)
{
	const size_t t = table->kind - BATON_OP;
	begin();
	encoder.choices[t].rows = ROWS;
	memset(encoder.choices[t].encoding, BATON_ENC_DELTA, BATON_MAX_COLUMNS);
	encoder.choices[t].encoding[column] = encoding;
}

static void every_encoding(void)
{
	for (size_t t = 0; t < BATON_TABLES; t++) {
		const struct baton_table *table = &baton_tables[t];
		for (unsigned c = 0; c < table->n_columns; c++)
			for (unsigned bits = 0; bits < 24; bits++) {
				const uint8_t encoding = (uint8_t)(BATON_ENC_COMPOSED | bits);
				const bool end = baton_composed_basis(encoding) == BATON_BASIS_END,
						   mean = encoding & BATON_ENC_MEAN,
						   key = c == table->chain || c == table->name_of,
						   allowed = !(end && c != ROW_START) && !(mean && c > ROW_DUR) &&
									 !(key && baton_composed_chained(encoding));
				if (!allowed)
					continue;
				make_rows(table, ROWS, 1);
				force(table, c, encoding);
				struct baton_block_header header = encode(table, ROWS);
				CHECK(comes_back(table, &header), "%s column %u: encoding %d changes values",
					  table->name, c, encoding);
				CHECK(encoding_of(c) == encoding || encoding_of(c) == BATON_ENC_CONSTANT,
					  "%s column %u: encoding %d was not used", table->name, c, encoding);
			}
	}
}

/* The largest and smallest numbers wrap and come back. */
static void extremes(void)
{
	static const int64_t ends[] = {-BATON_TIME_LIMIT_NS, BATON_TIME_LIMIT_NS};
	const struct baton_table *table = baton_table(BATON_CALL);
	for (unsigned bits = 0; bits < 24; bits++)
		for (unsigned c = 0; c <= CALL_CORRELATION; c += CALL_CORRELATION) {
			const uint8_t encoding = (uint8_t)(BATON_ENC_COMPOSED | bits);
			if (c &&
				(baton_composed_basis(encoding) == BATON_BASIS_END || encoding & BATON_ENC_MEAN))
				continue;
			make_rows(table, ROWS, 1);
			for (int i = 0; i < ROWS; i++) {
				data[CALL_START][i] = ends[i >= ROWS / 2];
				data[CALL_DUR][i] = i >= ROWS / 2 ? 0 : (int64_t)(draw() >> 2);
				data[CALL_CORRELATION][i] = (int64_t)(i % 2 ? draw() : 0 - (draw() & 1));
			}
			force(table, c, encoding);
			struct baton_block_header header = encode(table, ROWS);
			CHECK(comes_back(table, &header), "column %u: encoding %d and extremes", c, encoding);
		}
}

static void bitplanes(void)
{
	static int64_t v[ROWS], back[ROWS];
	static uint8_t buffer[ROWS * 10 + 8];
	for (int grid = 0; grid <= 1; grid++)
		for (int length = 0; length <= 64; length++) {
			for (int i = 0; i < ROWS; i++) {
				const uint64_t low = length ? draw() >> (64 - length) : 0;
				v[i] = (int64_t)(i % 3 ? low : 0 - low);
			}
			uint8_t *bits, *end = baton_bitplane_put(buffer, v, ROWS, grid, &bits);
			CHECK(baton_bitplane_get(buffer, end, grid, back, ROWS) &&
					  memcmp(v, back, sizeof(v)) == 0,
				  "%d bits do not come back (grid %d)", length, grid);
			CHECK(end == buffer || !baton_bitplane_get(buffer, end - 1, grid, back, ROWS),
				  "a cut stream is accepted");
			buffer[7] = 1;
			CHECK(!baton_bitplane_get(buffer, end, grid, back, ROWS), "no number has length 1");
		}
}

/* What is chosen for rows of microseconds, of a clock that ticks in 32 ns, of one cycle. */
static void choices(void)
{
	const struct baton_table *table = baton_table(BATON_OP);
	begin();
	make_rows(table, ROWS, 1);
	const uint32_t fine = encode(table, ROWS).raw_bytes;
	CHECK(encoding_of(ROW_DUR) & BATON_ENC_MEAN, "durations that follow their names: encoding %d",
		  encoding_of(ROW_DUR));
	begin();
	make_rows(table, ROWS, 1000);
	struct baton_block_header header = encode(table, ROWS);
	CHECK(comes_back(table, &header), "microseconds change");
	CHECK(header.raw_bytes < fine + fine / 50, "whole microseconds take %u bytes for %u",
		  header.raw_bytes, fine);
	begin();
	for (int i = 0; i < ROWS; i++)
		data[ROW_DUR][i] = (int64_t)(draw() % 4000) * 32 + (i % 16 == 0);
	header = encode(table, ROWS);
	CHECK(comes_back(table, &header), "ticks change");
	CHECK(baton_composed_storage(encoding_of(ROW_DUR)) == BATON_STORE_GRID,
		  "ticks of 32 ns: encoding %d", encoding_of(ROW_DUR));
}

/* Blocks with more chains than can be followed get encodings without; so do they after others. */
static void many_chains(void)
{
	const struct baton_table *table = baton_table(BATON_CALL);
	begin();
	make_rows(table, ROWS, 1);
	encode(table, ROWS);
	for (int n = BATON_CHAINS; n <= BATON_CHAINS + 1; n++) {
		for (int i = 0; i < ROWS; i++)
			data[CALL_THREAD][i] = i % n;
		struct baton_block_header header = encode(table, ROWS);
		CHECK(comes_back(table, &header), "%d chains", n);
		CHECK(baton_composed_chained(encoding_of(ROW_START)) == (n <= BATON_CHAINS),
			  "%d chains: encoding %d", n, encoding_of(ROW_START));
	}
}

/* Cut or changed payloads are refused, or read as other rows; nothing outside is touched. */
static void hostile(void)
{
	const struct baton_table *table = baton_table(BATON_OP);
	begin();
	make_rows(table, 300, 1);
	struct baton_block_header header = encode(table, 300);
	uint8_t *copy = malloc(header.raw_bytes);
	uint32_t present;
	for (uint32_t cut = 0; cut < header.raw_bytes; cut++) {
		struct baton_block_header shorter = header;
		uint8_t *exact = malloc(cut + 1);
		memcpy(exact, payload, cut);
		shorter.raw_bytes = cut;
		CHECK(baton_columns_decode(table, &shorter, exact, out, &present) != 0,
			  "a payload cut at %u is accepted", cut);
		free(exact);
	}
	for (int n = 0; n < 20000; n++) {
		memcpy(copy, payload, header.raw_bytes);
		for (uint64_t k = draw() % 4 + 1; k; k--)
			copy[draw() % (n % 2 ? 84 : header.raw_bytes)] = (uint8_t)draw();
		baton_columns_decode(table, &header, copy, out, &present);
	}
	free(copy);
}

int main(void)
{
	ZSTD_CCtx *zstd = ZSTD_createCCtx();
	CHECK(baton_encoder_open(&encoder, zstd, ROWS) == 0, "no encoder");
	for (int c = 0; c < BATON_MAX_COLUMNS; c++) {
		columns[c] = data[c];
		out[c] = room[c];
	}
	every_encoding();
	extremes();
	bitplanes();
	choices();
	many_chains();
	hostile();
	baton_encoder_close(&encoder);
	ZSTD_freeCCtx(zstd);
	return finish();
}
