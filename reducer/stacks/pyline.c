#include "stacks/pyline.h"

#include <stdbool.h>
#include <stddef.h>

/* Lines are added up without overflow; what no source file has is no line. */
static int32_t line_of(int64_t line)
{
	return line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
}

/* Pairs of (bytes, signed lines): each moves on, and the last one at or before `offset` counts. */
static int32_t from_lnotab(const struct pyline_table *t, uint64_t offset)
{
	int64_t line = t->first_line;
	uint64_t at = 0;
	for (uint32_t i = 0; i + 1 < t->bytes; i += 2) {
		at += t->at[i];
		if (at > offset)
			break;
		line += (int8_t)t->at[i + 1];
	}
	return line_of(line);
}

/* Pairs of (length, signed lines); -128 lines: this range has none. */
static int32_t from_line_table(const struct pyline_table *t, uint64_t offset)
{
	int64_t line = t->first_line;
	uint64_t end = 0;
	for (uint32_t i = 0; i + 1 < t->bytes; i += 2) {
		int8_t lines = (int8_t)t->at[i + 1];
		end += t->at[i];
		if (lines != -128)
			line += lines;
		if (offset < end)
			return lines == -128 ? 0 : line_of(line);
	}
	return 0;
}

/* Six bits a byte, bit 6: more follows. The lowest bit of a signed number is its sign. */
static int64_t signed_varint(const struct pyline_table *t, uint32_t at)
{
	uint64_t value = 0;
	for (unsigned shift = 0; at < t->bytes && shift < 36; at++, shift += 6) {
		value |= (uint64_t)(t->at[at] & 63) << shift;
		if (!(t->at[at] & 64))
			break;
	}
	return value & 1 ? -(int64_t)(value >> 1) : (int64_t)(value >> 1);
}

/* Entries whose first byte alone has bit 7: four bits of kind, three of length - 1 in units of two
 * bytes of code. */
static int32_t from_location_table(const struct pyline_table *t, uint64_t offset)
{
	enum { ONE_LINE = 10, NO_COLUMNS = 13, LONG = 14, NONE = 15 };
	int64_t line = t->first_line;
	uint64_t end = 0;
	for (uint32_t i = 0; i < t->bytes;) {
		unsigned kind = t->at[i] >> 3 & 15;
		end += 2 * ((t->at[i] & 7) + 1ull);
		if (kind == NO_COLUMNS || kind == LONG)
			line += signed_varint(t, i + 1);
		else if (kind >= ONE_LINE && kind < NO_COLUMNS)
			line += kind - ONE_LINE;
		if (offset < end)
			return kind == NONE ? 0 : line_of(line);
		for (i++; i < t->bytes && !(t->at[i] & 128);)
			i++;
	}
	return 0;
}

int32_t pyline(const struct pyline_table *table, uint64_t offset)
{
	unsigned major = table->python >> 24, minor = table->python >> 16 & 0xff;
	if (major != 3)
		return 0;
	if (minor < 10)
		return from_lnotab(table, offset);
	return minor == 10 ? from_line_table(table, offset) : from_location_table(table, offset);
}
