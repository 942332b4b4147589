/* What was measured on real machines: quantiles of samples (quantiles.c) and names of kernels
 * (kernel_names.c), both written by tables.py (`make tables`) from recorded runs on V100, A100 and
 * H100. Draw from them with tables.h. */
#ifndef SIMGPU_VIRTUAL_DRAW_MEASURED_H
#define SIMGPU_VIRTUAL_DRAW_MEASURED_H

#include <stddef.h>
#include <stdint.h>

enum sim_table {
	TABLE_LAUNCH_CALL,  /* duration of a kernel launch call, ns */
	TABLE_LAUNCH_FLOOR, /* launch begin to start on an idle device against its 5th percentile: 1024
						   is 1.0 */
	TABLE_QUEUED_GAP,   /* end of an op to the start of one that was queued already, ns */
	TABLE_HOST_GAP,     /* end of a call to the begin of the thread's next launch, below 1 ms, ns */
	TABLE_CALL_SHORT,   /* event record, stream wait: cheap calls, ns */
	TABLE_SYNC_WAKE,    /* end of the op waited for to the return of the call, ns */
	TABLE_GEMM,         /* from here: durations of kernels by class, ns */
	TABLE_CONV,
	TABLE_ATTENTION,
	TABLE_NORM,
	TABLE_SOFTMAX,
	TABLE_POINTWISE,
	TABLE_REDUCE,
	TABLE_COPY_KERNEL,
	TABLE_OPTIMIZER,
	TABLE_EMBEDDING,
	TABLE_LOSS,
	TABLE_NCCL,
	TABLE_REPEAT, /* an instance of a kernel against the median of its kind: 1024 is 1.0 */
	TABLE_COUNT
};

enum { QUANTILES = 257 }; /* nearest rank */

struct kernel_names { /* as traces show them, the commonest first; none where it is no kernel's */
	const char *const *at;
	size_t n;
};

extern const int64_t quantiles[TABLE_COUNT][QUANTILES];
extern const struct kernel_names kernel_names[TABLE_COUNT];

#endif
