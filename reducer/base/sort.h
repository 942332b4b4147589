/* qsort() for rows that may be none at all: C asks for an address even then, and an empty list has
 * none. What a trace holds is mostly in order already, and such rows are compared once. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdlib.h>

static inline void sort_rows(void *rows, size_t n, size_t bytes,
							 int (*by)(const void *, const void *))
{
	const char *row = rows;
	size_t sorted = 1;
	for (; sorted < n && by(row, row + bytes) <= 0; sorted++)
		row += bytes;
	if (sorted < n)
		qsort(rows, n, bytes, by);
}

static inline void sort_rows_with(void *rows, size_t n, size_t bytes,
								  int (*by)(const void *, const void *, void *), void *context)
{
	const char *row = rows;
	size_t sorted = 1;
	for (; sorted < n && by(row, row + bytes, context) <= 0; sorted++)
		row += bytes;
	if (sorted < n)
		qsort_r(rows, n, bytes, by, context);
}

#endif
