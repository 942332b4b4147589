/* What a pass keeps of a device's ops whose steps are not known yet: the kernel launches in order,
 * from which they are found (steps/period.h), and what it takes to put every op into its step
 * afterwards without another pass. */
#ifndef ATTRIBUTE_LAUNCH_LOG_H
#define ATTRIBUTE_LAUNCH_LOG_H

#include "attribute/opstream.h"
#include "steps/period.h"

enum { LAUNCH_LOG_OPS = 1 << 18 };

struct logged_op {
	int64_t ls, end; /* INT64_MAX: no launch record */
	uint32_t slot;   /* its stream */
};

struct launch_log {
	uint32_t feed;             /* the process that steps are found in */
	struct launch_mark *marks; /* its kernel launches on the device */
	size_t n_marks, marks_room;
	uint64_t moves; /* of marks, to keep them in order */
	bool sorted;
	struct logged_op *ops; /* all ops in op order, LAUNCH_LOG_OPS at most */
	size_t n_ops, ops_room;
	bool whole; /* none is left out */
};

/* 0 or -ENOMEM */
int launch_log_add(struct launch_log *log, const struct op *op);
/* Brings the marks into the order of their launches; equal ones stay in op order. */
void launch_log_sort(struct launch_log *log);
void launch_log_free_marks(struct launch_log *log);
void launch_log_free(struct launch_log *log);

#endif
