/* Launches of a graph that are the steps. */
#include "check.h"
#include "steps/graph_steps.h"

#include <stdlib.h>

/* n launches of graph 7, one each 100 ns from `first` on, and as many of graph 3 with a tenth of the
 * work; `all_ns` is what the process ran. The steps so far are at `begins`. */
static size_t steps_of(size_t launches, int64_t first, int64_t all_ns, size_t n, int64_t *last)
{
	struct graph_launch at[64];
	struct graph_launches graphs = {.at = at, .all_ns = all_ns};
	int64_t *begins = malloc(8 * sizeof(*begins)), end_ns = -1;
	uint32_t name = 0;
	for (size_t i = launches; i-- > 0;) {
		at[graphs.n++] = (struct graph_launch){first + 100 * (int64_t)i, 10, 7};
		at[graphs.n++] = (struct graph_launch){first + 100 * (int64_t)i + 50, 1, 3};
	}
	for (size_t i = 0; i < n; i++)
		begins[i] = 100 * (int64_t)i;
	CHECK(graph_steps_take(&graphs, &begins, &n, &end_ns, &name) == 0, "memory");
	CHECK(name == 0 || (name == 7 && end_ns == first + 100 * ((int64_t)launches - 1) + 1),
		  "the graph with most work, to its last launch: %u, %lld", name, (long long)end_ns);
	*last = name && n ? begins[n - 1] : -1;
	free(begins);
	return n;
}

int main(void)
{
	int64_t last;
	CHECK(steps_of(20, 0, 400, 0, &last) == 20 && last == 1900, "nothing else is there");
	CHECK(steps_of(2, 0, 40, 0, &last) == 0, "two are too few");
	CHECK(steps_of(20, 0, 401, 0, &last) == 20 && steps_of(20, 0, 402, 0, &last) == 0,
		  "less than half of the work");
	/* eager steps at 0, 100, 200 and 300 */
	CHECK(steps_of(20, 300, 400, 4, &last) == 20, "all behind them");
	CHECK(steps_of(20, -2000, 400, 4, &last) == 20, "all before them");
	CHECK(steps_of(4, 0, 80, 4, &last) == 4 && last == -1, "one in each: they stay");
	CHECK(steps_of(0, 0, 0, 4, &last) == 4 && last == -1, "no graphs");
	return finish();
}
