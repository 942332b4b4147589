/* Rows come out by key, equal keys in the order in which they came. */
#include "base/radix.h"
#include "check.h"

static uint64_t draw(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33;
}

static void sorts(uint64_t mask, uint64_t high)
{
	enum { N = 3000 };
	static struct radix_row rows[N];
	uint64_t state = mask;
	for (uint32_t i = 0; i < N; i++)
		rows[i] = (struct radix_row){high | ((draw(&state) << 31 ^ draw(&state)) & mask), i};
	CHECK(radix_sort(rows, N) == 0, "no memory");
	for (uint32_t i = 1; i < N; i++)
		CHECK(rows[i - 1].key < rows[i].key ||
				  (rows[i - 1].key == rows[i].key && rows[i - 1].index < rows[i].index),
			  "rows %u and %u of %llx", i - 1, i, (unsigned long long)mask);
}

int main(void)
{
	sorts(UINT64_MAX, 0);
	sorts(0xff, 0);
	sorts(0xff00ff00, UINT64_C(0x186cc6ad00000000));
	sorts(0, 42);
	CHECK(radix_sort(NULL, 0) == 0, "nothing to sort");
	return finish();
}
