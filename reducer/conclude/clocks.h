/* Is a device clocked lower than the others, and what slows it that does not slow them? Pure: a
 * summary in. */
#ifndef CONCLUDE_CLOCKS_H
#define CONCLUDE_CLOCKS_H

#include "summary/summary.h"

struct clocks {          /* mean SM clock within the window, MHz */
	int64_t own, others; /* others: the median of the other devices', of an even number the smaller
						  * of the middle two */
};

struct clocks_sorted {
	int64_t *at;
	size_t n;
};

struct clocks_all { /* what is known of all devices, ascending; all zero: of none */
	int64_t *room;
	struct clocks_sorted mhz, slowed[READINGS]; /* slowed: parts per million of the looks */
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

/* Does it explain at least half of work that takes own_ns where the others take others_ns? */
bool clocks_explain(const struct clocks *clocks, int64_t own_ns, int64_t others_ns);
/* How much slower than at the others' clock, in per cent: what it explains. */
double clocks_slower_percent(const struct clocks *clocks);

struct clocks_reason {
	enum reading_kind kind; /* READING_SLOWED: none */
	int64_t own_ppm;        /* of its looks */
	int64_t others_ppm;     /* the median of the others; -1 not known */
};
/* What slows a device (one of the summary, or nobody's readings) most beyond what slows the others:
 * where all are at their power limit that is no reason. Of equals, and where nothing is known of
 * others, heat and power brakes come first, the power cap last. */
struct clocks_reason clocks_reason(const struct clocks_all *all,
								   const struct reading readings[READINGS]);

/* What all devices of a run showed together. */
void clocks_of_run(const struct summary *summary, struct reading all[READINGS]);

struct clocks_change {      /* between two runs */
	int64_t before, after;  /* mean SM clock, MHz */
	enum reading_kind kind; /* what slows the one that is lower more often; READING_SLOWED: none */
	int64_t before_ppm, after_ppm; /* of the looks */
};
/* Is the mean clock another one, by more than CLOCKS_TELL per cent of the higher? False where it is
 * not known of both, and where not all their GPUs are of one name: another model has clocks of its
 * own. */
bool clocks_changed(const struct summary *base, const struct summary *run,
					struct clocks_change *change);

struct clocks_standing { /* how far a device stands out, in parts per million */
	int64_t lower;       /* its clock, if that is worth a line */
	int64_t excess;      /* of its looks: slowed by a reason that the others do not have */
	int64_t held_back;   /* of its looks: slowed by anything but the power cap */
};
/* Is it worth a line of its own? */
bool clocks_stands_out(const struct clocks_all *all, const struct device_summary *device,
					   struct clocks_standing *standing);
/* For qsort: the worst first. */
int clocks_worse(const struct clocks_standing *a, const struct clocks_standing *b);

enum {
	CLOCKS_TELL = 2,   /* per cent: beyond it the clock is named where a device is slow */
	CLOCKS_ALONE = 5,  /* beyond it also where it is not */
	CLOCKS_SLOWED = 10 /* per cent of the looks: worth a line */
};

#endif
