/* The simple encodings of a column. */
#include <baton/columns.h>

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
	/* a unit and the end of a stream of bits besides */
	return 4 + columns * 8 + columns * (rows + 2) * BATON_VARINT_MAX;
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
