/* Two rows of things that meet in their order, of which both may begin in the middle. */
#ifndef BASE_SHIFT_H
#define BASE_SHIFT_H

#include <stdbool.h>
#include <stdint.h>

enum { SHIFT_MOST = 64 };

struct shift_rows {
	int64_t first, second; /* how many each row has */
	/* May number `i` of the first row and number `k` of the second one have met? */
	bool (*met)(const void *context, int64_t i, int64_t k);
	const void *context;
};

/* How far the second row is ahead: number i of the first one met i + shift of the second one. Of
 * the shifts with which most meet the least; SHIFT_MOST at most. */
int64_t shift_best(const struct shift_rows *rows);

#endif
