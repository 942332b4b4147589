#include "import/plausible.h"

#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

bool plausible_times(int64_t start_ns, int64_t dur_ns)
{
	return dur_ns >= 0 && dur_ns <= PLAUSIBLE_DUR_NS && start_ns >= -PLAUSIBLE_START_NS &&
		   start_ns <= PLAUSIBLE_START_NS;
}

static bool measures_ok(const struct plausible_row *row)
{
	return plausible_times(row->columns[ROW_START], row->columns[ROW_DUR]);
}

static bool near_centre(const struct plausible *gate, const struct plausible_row *row)
{
	int64_t distance = row->columns[ROW_START] - gate->centre_ns; /* both within 2^61 */
	return distance >= -PLAUSIBLE_REACH_NS && distance <= PLAUSIBLE_REACH_NS;
}

static void judge(struct plausible *gate, const struct plausible_row *row)
{
	if (measures_ok(row) && near_centre(gate, row))
		gate->accept(gate->context, row);
	else
		gate->refused[row->kind - BATON_OP]++;
}

static int compare_starts(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

int plausible_init(struct plausible *gate, void (*accept)(void *, const struct plausible_row *),
				   void *context)
{
	*gate = (struct plausible){.accept = accept, .context = context};
	gate->held = malloc(PLAUSIBLE_HELD * sizeof(*gate->held));
	return gate->held ? 0 : -ENOMEM;
}

void plausible_finish(struct plausible *gate)
{
	int64_t starts[PLAUSIBLE_HELD];
	uint32_t n = 0;
	if (!gate->held)
		return;
	for (uint32_t i = 0; i < gate->n_held; i++)
		if (measures_ok(&gate->held[i]))
			starts[n++] = gate->held[i].columns[ROW_START];
	sort_rows(starts, n, sizeof(starts[0]), compare_starts);
	gate->centre_ns = n ? starts[n / 2] : 0;
	for (uint32_t i = 0; i < gate->n_held; i++)
		judge(gate, &gate->held[i]);
	free(gate->held);
	gate->held = NULL;
}

void plausible_add(struct plausible *gate, const struct plausible_row *row)
{
	if (!gate->held) {
		judge(gate, row);
		return;
	}
	gate->held[gate->n_held++] = *row;
	if (gate->n_held == PLAUSIBLE_HELD)
		plausible_finish(gate);
}

void plausible_free(struct plausible *gate)
{
	free(gate->held);
	gate->held = NULL;
}

uint64_t plausible_refused(const struct plausible *gate)
{
	uint64_t sum = 0;
	for (size_t t = 0; t < BATON_TABLES; t++)
		sum += gate->refused[t];
	return sum;
}
