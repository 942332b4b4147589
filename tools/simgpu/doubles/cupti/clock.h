/* Time stamps of records: CLOCK_REALTIME, or the client's clock when it registered one. What the
 * host does is stamped by that clock at once; what a device did is converted when its buffer is
 * delivered, along the line through two readings of both clocks. */
#ifndef SIMGPU_DOUBLES_CUPTI_CLOCK_H
#define SIMGPU_DOUBLES_CUPTI_CLOCK_H

#include "doubles/cupti/cupti.h"
#include <stdint.h>

struct clock_line { /* client = client0 + (ns - ns0) * slope */
	int64_t ns0;
	uint64_t client0;
	long double slope; /* 0: no client clock */
};

/* The client registered its clock. */
void clock_use(timestamp_fn callback);
uint64_t clock_stamp(void);
struct clock_line clock_line(void);
uint64_t clock_convert(const struct clock_line *line, int64_t ns);

#endif
