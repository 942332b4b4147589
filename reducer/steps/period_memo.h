/* Remembers where period_find() found steps to begin: the ranks of a job launch the same kernels,
 * and at which launches steps begin depends on nothing but their order. When they begin is each
 * rank's own. Any number of threads may ask. */
#ifndef STEPS_PERIOD_MEMO_H
#define STEPS_PERIOD_MEMO_H

#include "steps/period.h"

struct period_memo;

/* 0 or -ENOMEM */
int period_memo_open(struct period_memo **out);
void period_memo_close(struct period_memo *memo); /* NULL: does nothing */

/* As period_find(), which is not called again for a sequence of kernels that is remembered. */
int period_memo_find(struct period_memo *memo, const struct launch_mark *marks, size_t n_marks,
					 int64_t **begins, size_t *n);

#endif
