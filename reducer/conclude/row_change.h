/* What became of each kernel, line of code and size of collective from one run to another
 * (docs/ATTRIBUTION.md section 7, "Noise of a comparison"). Pure: summaries in, numbers out. */
#ifndef CONCLUDE_ROW_CHANGE_H
#define CONCLUDE_ROW_CHANGE_H

#include "conclude/change.h"

enum row_change_kind { CHANGE_KERNELS, CHANGE_LINES, CHANGE_COLLECTIVES, CHANGE_KINDS };

struct row_change {
	const char *name; /* a kernel, a line, a collective's operation; in a summary's pool */
	int64_t bytes;    /* of a collective's send buffer, -1: not known; else 0 */
	bool backward;    /* of a line: what its backward pass launches */
	bool in_base, in_run;
	double base_ns; /* per step and device, scaled as the ideal step is */
	double run_ns;
	double half_ns; /* how far the difference may be off; NAN: not known */
	bool changed;   /* the difference is larger than that, and large enough to matter */
};

struct row_changes {
	struct row_change *at; /* the largest difference first */
	size_t n;
};

/* 0 or -ENOMEM; row_changes_close() either way. */
int row_changes_open(struct row_changes *rows, const struct change_sides *sides,
					 const struct change *change, enum row_change_kind kind);
void row_changes_close(struct row_changes *rows);

static inline double row_change_ns(const struct row_change *row)
{
	return row->run_ns - row->base_ns;
}

#endif
