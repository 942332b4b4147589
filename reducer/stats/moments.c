#include "stats/moments.h"

#include "base/saturate.h"

#include <math.h>
#include <stdlib.h>

int moments_add(struct moments *moments, int64_t value)
{
	const long double off = (long double)value - moments->mean;
	moments->min = moments->n == 0 || value < moments->min ? value : moments->min;
	moments->max = moments->n == 0 || value > moments->max ? value : moments->max;
	moments->total = saturate_add(moments->total, value);
	moments->n++;
	moments->mean += off / (long double)moments->n;
	moments->squares += off * ((long double)value - moments->mean);
	return counts_add(&moments->counts, value, 1);
}

void moments_free(struct moments *moments)
{
	counts_free(&moments->counts);
}

/* The value at position `at`, from 0. */
static int64_t value_at(const struct count *sorted, uint32_t n, uint64_t at)
{
	uint32_t i = 0;
	while (i + 1 < n && at >= sorted[i].n)
		at -= sorted[i++].n;
	return sorted[i].value;
}

int moments_figures(const struct moments *moments, struct figures *out)
{
	struct count *sorted;
	*out = (struct figures){0};
	if (moments->n == 0)
		return 0;
	const int error = counts_sorted(&moments->counts, &sorted);
	if (error)
		return error;
	const uint32_t used = moments->counts.used;
	out->average = (double)moments->mean;
	out->median = ((double)value_at(sorted, used, (moments->n - 1) / 2) +
				   (double)value_at(sorted, used, moments->n / 2)) /
				  2;
	if (moments->n > 1)
		out->deviation = (double)sqrtl(moments->squares / (long double)(moments->n - 1));
	free(sorted);
	return 0;
}
