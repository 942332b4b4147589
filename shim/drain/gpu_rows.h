/* What CUPTI delivers, as rows of the trace: one op or overhead a record, those outside a window
 * left out. Of the writer thread, for one recording at a time. */
#ifndef SHIM_GPU_ROWS_H
#define SHIM_GPU_ROWS_H

#include <stdbool.h>
#include <stdint.h>

struct baton_drain;
struct baton_writer;

struct gpu_rows_counts {
	uint64_t ops;    /* rows of GPU work */
	uint64_t copies; /* of them: copies and memsets that are no nodes */
	uint64_t graphs; /* launches of graphs that there are rows of */
	int64_t longest_node_ns;
	uint64_t lost;       /* records that CUPTI dropped, or that found no room */
	uint64_t incomplete; /* of work other than kernels that had not ended at the last flush */
};

/* A recording begins: rows go to `file`, kernels are counted and NCCL's are joined in `drain`. */
void gpu_rows_open(struct baton_writer *file, struct baton_drain *drain);
struct gpu_rows_counts gpu_rows_counts(void);

/* One buffer that CUPTI has completed, back to it afterwards. False: there is none. `dropping`: its
 * records find no room (the disk is full), and are counted. */
bool gpu_rows_take(bool dropping);
/* At the end: what CUPTI dropped since the last buffer came. */
void gpu_rows_take_dropped(void);
/* At the end of a window. CUPTI gives a kernel its place in a buffer as it is launched (measured:
 * docs/GPU_RESULTS.md), so what finds none from now on was launched after the window. */
void gpu_rows_window_over(void);

#endif
