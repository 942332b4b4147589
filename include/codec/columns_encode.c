/* Encodes rows as the payload of a column block. */
#include <baton/columns.h>

#include <stdbool.h>
#include <string.h>

unsigned baton_varint_size(uint64_t v)
{
	return v == 0 ? 1 : (unsigned)(63 - __builtin_clzll(v)) / 7 + 1;
}

uint8_t *baton_varint_put(uint8_t *out, uint64_t v)
{
	while (v >= 0x80) {
		*out++ = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	*out++ = (uint8_t)v;
	return out;
}

size_t baton_columns_bound(size_t rows, size_t columns)
{
	return 4 + columns * 8 + columns * (rows + 1) * BATON_VARINT_MAX;
}

/* The cheapest encoding of one column: all equal, else the smaller of delta and plain. */
static uint8_t column_choose(const int64_t *v, size_t rows)
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

uint8_t *baton_column_put(uint8_t *out, uint8_t encoding, const int64_t *v, size_t rows)
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

size_t baton_columns_encode(const struct baton_table *table,
							int64_t *const columns[BATON_MAX_COLUMNS], size_t rows, uint8_t *out)
{
	uint32_t n = 0;
	for (unsigned c = 0; c < table->n_columns; c++)
		n += columns[c] != NULL;
	uint8_t *directory = out + 4, *data = directory + 8 * (size_t)n;
	memcpy(out, &n, 4);
	for (unsigned c = 0; c < table->n_columns; c++) {
		if (!columns[c])
			continue;
		uint8_t encoding = column_choose(columns[c], rows);
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
