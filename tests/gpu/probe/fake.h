/* What the probe's fake libcuda tells its fake libcupti. Both are for the test of the probe's logic
 * only: their times mean nothing. Environment: FAKE_CRASH=NAME, FAKE_HANG=NAME, FAKE_EXIT=NAME: in
 * that driver call.
 */
#ifndef PROBE_FAKE_H
#define PROBE_FAKE_H

#include <stdint.h>

struct fake_op {
	uint32_t kind, correlation, stream, graph;
	int64_t start, end; /* CLOCK_REALTIME */
	uint64_t node, bytes;
	const char *name;
};

struct fake_observer {
	void (*call)(int domain, uint32_t cbid, int site, const char *function, uint32_t correlation);
	void (*op)(const struct fake_op *op);
	void (*context_ends)(void);
};

/* Exported by the fake libcuda. */
extern const struct fake_observer *fake_observer;
extern int fake_initialised;
extern _Thread_local uint32_t fake_outer_correlation; /* of the runtime call around, or 0 */
uint32_t fake_next_correlation(void);

#endif
