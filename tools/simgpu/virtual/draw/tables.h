/* The distributions that durations and gaps are drawn from: 257 quantiles each, taken from recorded
 * runs on V100, A100 and H100 by tables.py (`make tables`). No floating point at run time. */
#ifndef SIMGPU_VIRTUAL_DRAW_TABLES_H
#define SIMGPU_VIRTUAL_DRAW_TABLES_H

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

/* The quantile u / 2^64, interpolated between the table's 257. */
int64_t table_draw(enum sim_table table, uint64_t u);
int64_t table_median(enum sim_table table);
/* A kernel name of the class, as traces show it; u picks. For tables of kernels other than NCCL's.
 */
const char *table_kernel_name(enum sim_table table, uint64_t u);

#endif
