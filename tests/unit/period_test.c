/* Steps from periodicity: right number of steps with warm-up before, rare kernels inside, and none in noise. */
#include "check.h"
#include "steps/period.h"

#include <stdlib.h>

enum { STEPS = 20, KERNELS = 50 };

static size_t find(const struct launch_mark *marks, size_t n, int64_t *first)
{
	int64_t *begins = NULL;
	size_t found = 0;
	CHECK(period_find(marks, n, &begins, &found) == 0, "out of memory");
	*first = found ? begins[0] : -1;
	free(begins);
	return found;
}

int main(void)
{
	struct launch_mark marks[STEPS * KERNELS + 40];
	size_t n = 0;
	int64_t first;
	for (uint32_t i = 0; i < 30; i++, n++) /* warm-up: kernels of its own */
		marks[n] = (struct launch_mark){(int64_t)n * 10, 1000 + i};
	int64_t begin = (int64_t)n * 10;
	for (int step = 0; step < STEPS; step++)
		for (uint32_t k = 0; k < KERNELS; k++, n++)
			marks[n] = (struct launch_mark){(int64_t)n * 10, k < 40 ? k : 40 /* ten times a step */};
	CHECK(find(marks, n, &first) == STEPS, "number of steps");
	CHECK(first == begin, "the first step begins at %lld, not %lld", (long long)first, (long long)begin);
	for (size_t i = 0; i < n; i++)
		marks[i].symbol = (uint32_t)i; /* nothing repeats */
	CHECK(find(marks, n, &first) == 0, "steps are found where nothing repeats");
	CHECK(find(marks, 0, &first) == 0, "steps are found in nothing");
	return finish();
}
