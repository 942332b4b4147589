/* From run directories to one summary: the whole pipe, or the stored summary.baton when it is
 * fresh. */
#ifndef REDUCE_H
#define REDUCE_H

#include "summary/reduction.h"

/* `dirs` are the directories of ONE run (one per node). Returns an enum status; says what is wrong
 * itself. With STATUS_OK, STATUS_PARTIAL `out` is filled and the caller frees it with
 * reduction_free(). */
int reduce_run(char *const *dirs, size_t n_dirs, const struct reduce_options *options,
			   struct reduction *out);

#endif
