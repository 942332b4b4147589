/* The kernels of a device, gathered step by step in the order of their launches. A step is given on
 * once kernels of three later ones have begun, so memory holds four steps of one device. */
#ifndef JITTER_STEP_OPS_H
#define JITTER_STEP_OPS_H

#include "attribute/device_open.h"

struct jitter_op {
	int64_t start, end; /* of the kernel */
	int64_t ls, le;     /* of its launch; INT64_MAX: none is known */
	int64_t stream;     /* as the source numbers it; 0 of a kept op */
	int64_t order;      /* ls, else start */
	uint32_t name, call_name;
	uint32_t feed;      /* whose trace has the names */
	uint32_t slot;      /* number of its stream among the device's */
	uint32_t comm_size; /* of its communicator; 0: not known */
	uint32_t arrival;   /* its place among the ops of its step as they were added */
	bool nccl;
};

struct step_ops {
	int32_t step; /* of the device's steps */
	struct jitter_op *at;
	size_t n, room;
	bool disordered; /* they are not in order yet */
};

struct step_visit {
	void *of;
	/* Of each step with kernels, in order of steps. 0 or -errno. */
	int (*step)(void *of, const struct device_feeds *feeds, const struct step_ops *ops);
	/* All steps come once more: some launches begin after their kernels, as the pass has shown, or
	 * their ops are not ordinary (plain_ops.h). */
	void (*again)(void *of);
	bool at_once; /* what is done with a step cannot be taken back: the second does not happen */
};

/* Reads all kernels of the scanned device. *late: kernels that came after their step had been given
 * on. 0 or -errno. */
int step_ops_read(const struct device_context *context, const struct device_scan *scan,
				  const struct step_visit *visit, uint64_t *late);

/* The same of ops that are kept (opstream_keep()): they have no stream of their own number. */
int step_ops_read_kept(struct device_feeds *feeds, const struct step_visit *visit, uint64_t *late);

/* Appends the op. 0 or -ENOMEM. */
int step_ops_add(struct step_ops *ops, const struct jitter_op *op);
/* Puts the ops in order of their launches, of equal ones in the order in which they were added. */
void step_ops_sort(struct step_ops *ops);

#endif
