/* Chooses the encodings of columns by what a sample of them takes, and encodes payloads. */
#include <baton/encoder.h>

#include <baton/bitplane.h>
#include <baton/columns.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
	SAMPLE = BATON_ENCODER_SAMPLE,
	TRIAL_BYTES = SAMPLE * 11 + 1024, /* a sample, or zstd's bound of it */
	TRY_AGAIN_ROWS = 1 << 16,
	SMALL_PART_BYTES = 256 /* joins the part before it */
};
_Static_assert(ZSTD_COMPRESSBOUND(SAMPLE * 10) <= TRIAL_BYTES, "a sample that does not compress");

int baton_encoder_open(struct baton_encoder *e, struct ZSTD_CCtx_s *zstd, uint32_t rows)
{
	memset(e->choices, 0, sizeof(e->choices));
	e->zstd = zstd;
	e->numbers = malloc(rows * sizeof(*e->numbers));
	e->places = malloc(rows * sizeof(*e->places));
	e->trial = malloc(TRIAL_BYTES);
	e->packed = malloc(TRIAL_BYTES);
	return e->numbers && e->places && e->trial && e->packed ? 0 : -ENOMEM;
}

void baton_encoder_close(struct baton_encoder *e)
{
	free(e->numbers);
	free(e->places);
	free(e->trial);
	free(e->packed);
	e->numbers = NULL;
	e->places = NULL;
	e->trial = e->packed = NULL;
}

/* ---- one column ---- */

struct source { /* of the block in work */
	const struct baton_table *table;
	int64_t *const *columns;
	size_t rows;
};

static bool is_constant(const int64_t *v, size_t rows)
{
	for (size_t i = 1; i < rows; i++)
		if (v[i] != v[0])
			return false;
	return true;
}

/* The largest unit that divides all numbers: 1,000 where a source has whole microseconds. */
static uint64_t common_unit(const int64_t *v, size_t rows)
{
	uint64_t unit = 0;
	for (size_t i = 0; i < rows && unit != 1; i++) {
		uint64_t a = v[i] < 0 ? 0 - (uint64_t)v[i] : (uint64_t)v[i];
		while (a) {
			const uint64_t rest = unit % a;
			unit = a;
			a = rest;
		}
	}
	return unit == 0 || unit > INT64_MAX ? 1 : unit;
}

/* The numbers of a composed column; returns their unit. */
static uint64_t predict(struct baton_encoder *e, const struct source *from, unsigned column,
						uint8_t encoding)
{
	struct baton_predictor *p = &e->predictor;
	const int64_t *start = from->columns[ROW_START];
	memcpy(e->numbers, from->columns[column], from->rows * sizeof(*e->numbers));
	baton_predictor_clear(p, encoding, 1, column == ROW_START ? start[0] : 0);
	if (e->placed)
		baton_predictor_chains(p, 0, e->chains.n);
	baton_predictor_take_basis(p, e->numbers, from->columns[ROW_DUR], e->places, from->rows);
	const uint64_t unit = common_unit(e->numbers, from->rows);
	for (size_t i = 0; i < from->rows && unit != 1; i++)
		e->numbers[i] /= (int64_t)unit;
	if (encoding & BATON_ENC_MEAN) {
		baton_predictor_use(p, &e->means);
		baton_predictor_take_mean(p, e->numbers, e->places, from->rows);
	}
	return unit;
}

/* Writes numbers as a storage has them. *bits: where noise begins, or the end. */
static uint8_t *store(uint8_t *out, unsigned storage, const int64_t *numbers, size_t rows,
					  uint8_t **bits)
{
	if (storage != BATON_STORE_VARINT)
		return baton_bitplane_put(out, numbers, rows, storage == BATON_STORE_GRID, bits);
	for (size_t i = 0; i < rows; i++)
		out = baton_varint_put(out, baton_zigzag(numbers[i]));
	return *bits = out;
}

/* ---- the choice ---- */

/* What the first of two numbers of a trial takes when it is compressed. */
static size_t packed_bytes(struct baton_encoder *e, const uint8_t *end, const uint8_t *bits)
{
	const size_t raw = (size_t)(bits - e->trial);
	const size_t packed = ZSTD_compressCCtx(e->zstd, e->packed, TRIAL_BYTES, e->trial, raw, 1);
	return (size_t)(end - bits) + (ZSTD_isError(packed) || packed > raw ? raw : packed);
}

struct choice {
	uint8_t encoding;
	size_t bytes; /* of the sample */
};

static void choice_offer(struct choice *best, uint8_t encoding, size_t bytes)
{
	if (bytes < best->bytes)
		*best = (struct choice){encoding, bytes};
}

/* All storages of one prediction, on rows [at, at + n). */
static void try_composed(struct baton_encoder *e, const struct source *from, unsigned column,
						 uint8_t prediction, struct choice *best)
{
	const size_t n = from->rows < SAMPLE ? from->rows : SAMPLE, at = (from->rows - n) / 2;
	const uint64_t unit = predict(e, from, column, prediction);
	for (unsigned storage = BATON_STORE_VARINT; storage <= BATON_STORE_GRID; storage++) {
		uint8_t *bits, *end;
		if (storage == BATON_STORE_GRID && unit != 1)
			continue;
		end = store(e->trial, storage, e->numbers + at, n, &bits);
		choice_offer(best, (uint8_t)(prediction | storage << 3), packed_bytes(e, end, bits));
	}
}

static void try_simple(struct baton_encoder *e, const struct source *from, unsigned column,
					   uint8_t encoding, struct choice *best)
{
	const size_t n = from->rows < SAMPLE ? from->rows : SAMPLE, at = (from->rows - n) / 2;
	const uint8_t *end = baton_column_put(e->trial, encoding, from->columns[column] + at, n);
	choice_offer(best, encoding, packed_bytes(e, end, end));
}

static uint8_t choose(struct baton_encoder *e, const struct source *from, unsigned column)
{
	static const uint8_t of_starts[] = {BATON_BASIS_ROW, BATON_BASIS_CHAIN, BATON_BASIS_END},
						 of_others[] = {BATON_BASIS_NONE, BATON_BASIS_CHAIN};
	const bool starts = column == ROW_START,
			   keys = column == from->table->chain || column == from->table->name_of;
	struct choice best = {BATON_ENC_PLAIN, SIZE_MAX};
	try_simple(e, from, column, BATON_ENC_DELTA, &best);
	try_simple(e, from, column, BATON_ENC_PLAIN, &best);
	const uint8_t *bases = starts ? of_starts : of_others;
	for (unsigned b = 0; !keys && b < (starts ? 3 : 2); b++) {
		if (column == ROW_DUR && bases[b] != BATON_BASIS_NONE)
			continue;
		const uint8_t basis = BATON_ENC_COMPOSED | bases[b];
		if (e->placed || !baton_composed_chained(basis))
			try_composed(e, from, column, basis, &best);
		if (e->placed && column <= ROW_DUR)
			try_composed(e, from, column, basis | BATON_ENC_MEAN, &best);
	}
	return best.encoding;
}

/* ---- a payload ---- */

/* What a column is encoded as: the choice, unless this block does not allow it. */
static uint8_t settle(const struct baton_encoder *e, const struct source *from, unsigned column,
					  uint8_t chosen)
{
	if (is_constant(from->columns[column], from->rows))
		return BATON_ENC_CONSTANT;
	if (chosen == BATON_ENC_CONSTANT || (baton_composed_chained(chosen) && !e->placed))
		return column == ROW_START ? BATON_ENC_DELTA : BATON_ENC_PLAIN;
	return chosen;
}

static void parts_add(struct baton_parts *parts, size_t from, size_t end, bool packed)
{
	struct baton_part *last = parts->n ? &parts->at[parts->n - 1] : NULL;
	if (end == from)
		return;
	if (last && last->packed && packed && end - from < SMALL_PART_BYTES)
		last->end = (uint32_t)end;
	else
		parts->at[parts->n++] = (struct baton_part){(uint32_t)end, packed};
}

static uint8_t *put_column(struct baton_encoder *e, const struct source *from, unsigned column,
						   uint8_t encoding, uint8_t *out, uint8_t **bits)
{
	if (!(encoding & BATON_ENC_COMPOSED))
		return *bits = baton_column_put(out, encoding, from->columns[column], from->rows);
	const uint64_t unit = predict(e, from, column, encoding);
	out = baton_varint_put(out, unit);
	return store(out, baton_composed_storage(encoding), e->numbers, from->rows, bits);
}

/* The choices for this block; they are made again once in a while. */
static uint8_t *choices_of(struct baton_encoder *e, const struct source *from)
{
	const size_t t = from->table->kind - BATON_OP;
	const uint32_t rows = (uint32_t)from->rows;
	uint8_t *encoding = e->choices[t].encoding;
	if (e->choices[t].rows && e->choices[t].since < TRY_AGAIN_ROWS &&
		rows <= 4 * e->choices[t].rows) {
		e->choices[t].since += rows;
		return encoding;
	}
	for (unsigned c = 0; c < from->table->n_columns; c++)
		encoding[c] = from->columns[c] && !is_constant(from->columns[c], rows) ? choose(e, from, c)
																			   : BATON_ENC_CONSTANT;
	e->choices[t].rows = rows;
	e->choices[t].since = 0;
	return encoding;
}

size_t baton_encoder_payload(struct baton_encoder *e, const struct baton_table *table,
							 int64_t *const columns[BATON_MAX_COLUMNS], size_t rows, uint8_t *out,
							 struct baton_parts *parts)
{
	const struct source from = {table, columns, rows};
	uint32_t n = 0;
	for (unsigned c = 0; c < table->n_columns; c++)
		n += columns[c] != NULL;
	uint8_t *directory = out + 4, *data = directory + 8 * (size_t)n;
	memcpy(out, &n, 4);
	parts->n = 0;
	parts_add(parts, 0, (size_t)(data - out), true);
	baton_chains_clear(&e->chains);
	e->placed = baton_chains_place(&e->chains, columns[table->chain], columns[table->name_of], rows,
								   e->places);
	const uint8_t *chosen = choices_of(e, &from);
	for (unsigned c = 0; c < table->n_columns; c++) {
		if (!columns[c])
			continue;
		const uint8_t encoding = settle(e, &from, c, chosen[c]);
		uint8_t *bits, *end = put_column(e, &from, c, encoding, data, &bits);
		const uint16_t id = (uint16_t)(c + 1);
		const uint32_t bytes = (uint32_t)(end - data);
		parts_add(parts, (size_t)(data - out), (size_t)(bits - out), true);
		parts_add(parts, (size_t)(bits - out), (size_t)(end - out), false);
		memcpy(directory, &id, 2);
		directory[2] = encoding;
		directory[3] = 0;
		memcpy(directory + 4, &bytes, 4);
		directory += 8;
		data = end;
	}
	return (size_t)(data - out);
}
