/* qsort() for rows that may be none at all: C asks for an address even then, and an empty list has none. */
#ifndef BASE_SORT_H
#define BASE_SORT_H

#include <stdlib.h>

static inline void sort_rows(void *rows, size_t n, size_t bytes,
							 int (*by)(const void *, const void *))
{
	if (n > 1)
		qsort(rows, n, bytes, by);
}

static inline void sort_rows_with(void *rows, size_t n, size_t bytes,
								  int (*by)(const void *, const void *, void *), void *context)
{
	if (n > 1)
		qsort_r(rows, n, bytes, by, context);
}

#endif
