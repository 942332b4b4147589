/* The short way of a scan's pass, for kernels of which nothing is told but their times, launch and
 * name: nearly all. What it notes and keeps of each is what scan_pass.c would. */
#ifndef ATTRIBUTE_SCAN_RUN_H
#define ATTRIBUTE_SCAN_RUN_H

#include "attribute/plain_ops.h"
#include "attribute/scanning.h"

struct scan_run {
	struct scanning *s; /* its ops are kept */
	struct plain_ops *plain;
	bool gaps;  /* they are noted */
	bool whole; /* the steps are known; else launches are logged */
};

/* Takes the ops that follow, up to the first that needs the long way. *end: the latest end of an op
 * so far. 0 or -errno. */
int scan_run_take(const struct scan_run *run, int64_t *end);

#endif
