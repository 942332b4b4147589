/* Is a device clocked lower than the others, and does something slow it? Pure: a summary in. */
#ifndef SUMMARISE_CLOCKS_H
#define SUMMARISE_CLOCKS_H

#include "summarise/summary.h"

struct clocks {          /* mean SM clock within the window, MHz */
	int64_t own, others; /* others: the median of the other devices', of an even number the smaller
						  * of the middle two */
};

struct clocks_all { /* those that are known, ascending */
	int64_t *mhz;
	size_t n;
};

/* 0 or -ENOMEM; clocks_close() either way. */
int clocks_open(struct clocks_all *all, const struct summary *summary);
void clocks_close(struct clocks_all *all);
/* False: it is not known of this device (one of the summary), or of no other. */
bool clocks_among(const struct clocks_all *all, const struct device_summary *device,
				  struct clocks *clocks);
/* The same for one device. */
bool clocks_compare(const struct summary *summary, size_t device, struct clocks *clocks);
/* By more than so many per cent. */
bool clocks_lower(const struct clocks *clocks, int percent);
/* In how many per cent of its looks something slows it, rounded down; -1 not known. */
int clocks_slowed_percent(const struct device_summary *device);

enum {
	CLOCKS_TELL = 2,   /* per cent: beyond it the clock is named where a device is slow */
	CLOCKS_ALONE = 5,  /* beyond it also where it is not */
	CLOCKS_SLOWED = 10 /* per cent of the looks: worth a line */
};

#endif
