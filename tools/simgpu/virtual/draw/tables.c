#include "virtual/draw/tables.h"

#include "virtual/draw/rng.h"

int64_t table_draw(enum sim_table table, uint64_t u)
{
	const int64_t *q = quantiles[table];
	uint64_t at = u >> 56, part = (u >> 40) & 0xffff; /* 256 intervals, 65,536 places in each */
	return q[at] + (int64_t)((uint64_t)(q[at + 1] - q[at]) * part >> 16);
}

int64_t table_median(enum sim_table table)
{
	return quantiles[table][QUANTILES / 2];
}

const char *table_kernel_name(enum sim_table table, uint64_t u)
{
	const struct kernel_names *names = &kernel_names[table];
	return names->n ? names->at[rng_below(u, names->n)] : "";
}
