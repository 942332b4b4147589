/* A summary of stretches of time, one after the other (docs/RECORD.md): each is added once, and
 * what they are added to does not grow with the time. */
#ifndef SUMMARY_STRETCHES_H
#define SUMMARY_STRETCHES_H

#include "summary/summary.h"

enum {
	STRETCHES_EXACT = 2048, /* different values of a distribution; more are rounded by 0.1 % */
	/* Rows; what costs least beyond them is added up in one row, or left out. */
	STRETCHES_KERNELS = 4096,
	STRETCHES_NCCL = 2048,
	STRETCHES_SITES = 2048, /* of lines, of stacks and so on */
	STRETCHES_EVIDENCE = 4096,
	STRETCHES_STALLS = 2048
};

/* Is it made of stretches? */
bool stretches_are(const struct summary *summary);
/* Adds the steps of `next`, a reduced stretch of time that begins where `sum` ends or later; what
 * lies between them is counted as missing. `sum` may be empty (summary_init()): its
 * stretches_from_ns and stretches_to_ns then say where it would have begun, or are 0. `next` is
 * changed. 0 or -errno. Both are sorted then. */
int stretches_add(struct summary *sum, struct summary *next);

#endif
