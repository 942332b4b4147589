#include "summarise/clocks.h"

#include <errno.h>
#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

int clocks_open(struct clocks_all *all, const struct summary *summary)
{
	*all = (struct clocks_all){malloc((summary->n_devices + 1) * sizeof(*all->mhz)), 0};
	if (!all->mhz)
		return -ENOMEM;
	for (size_t i = 0; i < summary->n_devices; i++) {
		int64_t mean = reading_mean(&summary->devices[i].readings[READING_SM_MHZ]);
		if (mean >= 0)
			all->mhz[all->n++] = mean;
	}
	qsort(all->mhz, all->n, sizeof(*all->mhz), by_number);
	return 0;
}

void clocks_close(struct clocks_all *all)
{
	free(all->mhz);
	*all = (struct clocks_all){0};
}

bool clocks_among(const struct clocks_all *all, const struct device_summary *device,
				  struct clocks *clocks)
{
	*clocks = (struct clocks){reading_mean(&device->readings[READING_SM_MHZ]), -1};
	if (clocks->own < 0 || all->n < 2)
		return false;
	size_t middle = (all->n - 2) / 2; /* of the others; its own one stands there or before */
	clocks->others = all->mhz[middle + (clocks->own <= all->mhz[middle])];
	return true;
}

bool clocks_compare(const struct summary *summary, size_t device, struct clocks *clocks)
{
	struct clocks_all all;
	bool known =
		clocks_open(&all, summary) == 0 && clocks_among(&all, &summary->devices[device], clocks);
	clocks_close(&all);
	return known;
}

bool clocks_lower(const struct clocks *clocks, int percent)
{
	return (__int128)100 * clocks->own < (__int128)(100 - percent) * clocks->others;
}

int clocks_slowed_percent(const struct device_summary *device)
{
	const struct reading *slowed = &device->readings[READING_SLOWED];
	return slowed->looks ? (int)((__int128)100 * slowed->sum / slowed->looks) : -1;
}
