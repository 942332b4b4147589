#include "base/radix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = sizeof(uint64_t), VALUES = 256 };

/* Passes over bytes that are equal in all rows are left out. */
int radix_sort(struct radix_row *rows, size_t n)
{
	size_t(*counts)[VALUES] = calloc(BYTES, sizeof(*counts));
	struct radix_row *room = malloc((n + 1) * sizeof(*room)), *from = rows, *to = room;
	if (!counts || !room) {
		free(counts);
		free(room);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		for (int byte = 0; byte < BYTES; byte++)
			counts[byte][rows[i].key >> 8 * byte & (VALUES - 1)]++;
	for (int byte = 0; n && byte < BYTES; byte++) {
		size_t sum = 0;
		if (counts[byte][rows[0].key >> 8 * byte & (VALUES - 1)] == n)
			continue;
		for (int value = 0; value < VALUES; value++) {
			const size_t count = counts[byte][value];
			counts[byte][value] = sum;
			sum += count;
		}
		for (size_t i = 0; i < n; i++)
			to[counts[byte][from[i].key >> 8 * byte & (VALUES - 1)]++] = from[i];
		struct radix_row *other = from;
		from = to;
		to = other;
	}
	if (from != rows)
		memcpy(rows, from, n * sizeof(*rows));
	free(counts);
	free(room);
	return 0;
}
