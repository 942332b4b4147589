/* The clock of one host on that of another, from moments that both have noted: straight lines, one
 * after the other, because a clock drifts and somebody may set it (NTP) within the run. */
#ifndef GRAPH_CLOCK_FIT_H
#define GRAPH_CLOCK_FIT_H

#include <stddef.h>
#include <stdint.h>

enum { CLOCK_LINES = 32 };

struct clock_line { /* added to a time from from_ns on: constant + slope x (time - origin) */
	double slope, constant_ns;
	int64_t origin_ns, from_ns;
};

struct host_offset {                      /* all 0: the clock is taken as it is */
	struct clock_line lines[CLOCK_LINES]; /* the first also serves times before it */
	uint32_t n_lines;
	uint32_t n_jumps;    /* of the clock, between two lines */
	int64_t jump_ns;     /* the largest of them, with its sign: forward is positive */
	int64_t residual_ns; /* nine of ten moments fit as well; -1: not aligned */
};

struct clock_pair { /* a moment: on the clock that is sought, and on the common one */
	int64_t own_ns, common_ns;
};

/* Fills the offset from n > 0 pairs in order of common_ns. 0 or -ENOMEM. */
int clock_fit(const struct clock_pair *pairs, size_t n, struct host_offset *offset);
/* A time of the host on the common clock. What a jump back makes happen twice is taken for the
 * first time up to the middle of the pairs around it. */
int64_t host_offset_time(const struct host_offset *offset, int64_t ns);

#endif
