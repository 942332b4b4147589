/* What ranks, or hosts, made the others wait for, step by step: is one of them late persistently, or
 * was it its turn (docs/ATTRIBUTION.md section 7)? Pure: a summary in, answers out. */
#ifndef CONCLUDE_LATE_STEPS_H
#define CONCLUDE_LATE_STEPS_H

#include "summary/summary.h"

enum { LATE_STEPS_LEAST = 8 }; /* fewer say too little */

struct late_steps {
	int64_t *ns; /* n_steps x n_columns */
	size_t n_steps, n_columns;
	bool *out; /* columns that are left out of all questions: set by the caller */
};

/* A column for each of summary->late; or, with groups, column groups[i] for row i, of which the
 * mean of its rows is kept. n_steps is 0 where the summary has no time by step. 0 or -ENOMEM;
 * late_steps_close() either way. */
int late_steps_open(struct late_steps *steps, const struct summary *summary, const size_t *groups,
					size_t n_groups);
void late_steps_close(struct late_steps *steps);

/* The column with the largest sum, n_columns when none has any. */
size_t late_steps_largest(const struct late_steps *steps);
/* Is that column late in all steps, or in every second or third, beyond chance? At least one other
 * column must be left. *late: the answer. 0 or -ENOMEM. */
int late_steps_test(const struct late_steps *steps, size_t column, bool *late);

/* The probability that Student's t with so many degrees of freedom (at least 1) is above t. */
double late_steps_student(double t, size_t freedom);

#endif
