#include "steps/graph_steps.h"

#include "base/sort.h"
#include "steps/sequence.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static int by_name_and_launch(const void *a, const void *b)
{
	const struct graph_launch *x = a, *y = b;
	if (x->name != y->name)
		return x->name < y->name ? -1 : 1;
	return x->launch_ns < y->launch_ns ? -1 : x->launch_ns > y->launch_ns;
}

/* The launches of the graph with most work: *from, and how many. */
static size_t find_main(const struct graph_launches *graphs, size_t *from, int64_t *work_ns)
{
	size_t most = 0;
	*from = 0;
	*work_ns = -1;
	for (size_t i = 0, n; i < graphs->n; i += n) {
		int64_t sum = 0;
		for (n = 0; i + n < graphs->n && graphs->at[i + n].name == graphs->at[i].name; n++)
			sum += graphs->at[i + n].dur_ns;
		if (sum <= *work_ns)
			continue;
		*work_ns = sum;
		*from = i;
		most = n;
	}
	return most;
}

/* Do more than half of them lie in one of the n steps, or before the first? */
static bool lie_together(const struct graph_launch *at, size_t n_launches, const int64_t *begins,
						 size_t n)
{
	size_t i = 0;
	for (size_t step = 0; step <= n; step++) {
		size_t in = i;
		while (i < n_launches && (step == n || at[i].launch_ns < begins[step]))
			i++;
		if (2 * (i - in) > n_launches)
			return true;
	}
	return false;
}

int graph_steps_take(struct graph_launches *graphs, int64_t **begins, size_t *n, int64_t *end_ns,
					 uint32_t *name)
{
	size_t from;
	int64_t work_ns;
	sort_rows(graphs->at, graphs->n, sizeof(*graphs->at), by_name_and_launch);
	const size_t launches = find_main(graphs, &from, &work_ns);
	if (launches < PERIOD_LEAST_STEPS || work_ns < graphs->all_ns / 2)
		return 0; /* there may be none at all */
	const struct graph_launch *at = graphs->at + from;
	if (!lie_together(at, launches, *begins, *n))
		return 0;
	int64_t *own = malloc((launches + 1) * sizeof(*own));
	if (!own)
		return -ENOMEM;
	free(*begins);
	*begins = own;
	*n = 0;
	for (size_t i = 0; i < launches; i++)
		if (*n == 0 || at[i].launch_ns > own[*n - 1])
			own[(*n)++] = at[i].launch_ns;
	*end_ns = at[launches - 1].launch_ns + 1;
	*name = at->name;
	return 0;
}
