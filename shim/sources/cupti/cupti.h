/* The border to CUPTI: finds the copy that is loaded, subscribes, times the calls of interest by
 * callbacks, asks for activity records. Above it only our own records. No symbol of CUPTI is
 * touched before the driver is initialised. */
#ifndef SHIM_CUPTI_H
#define SHIM_CUPTI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpu_record_kind {
	GPU_RECORD_KERNEL,
	GPU_RECORD_COPY,
	GPU_RECORD_SET,
	GPU_RECORD_GRAPH,
	GPU_RECORD_OVERHEAD
};

/* One activity record. Times: CLOCK_REALTIME ns; end_ns 0: it had not ended. */
struct gpu_record {
	enum gpu_record_kind kind;
	int64_t start_ns, end_ns;
	uint32_t device, context, stream, correlation;
	const char *name; /* mangled, CUPTI's */
	uint64_t bytes;
	uint8_t copy_dir; /* enum baton_copy_dir */
	bool pageable;
	uint64_t graph_node;
	uint32_t graph;
	uint32_t thread;        /* of an overhead record: tid, 0 none */
	uint32_t overhead_kind; /* enum baton_overhead_kind */
};

/* In the first successful cuInit (InitializeInjection). Again:
 * nothing. False: CUPTI cannot be used (told on stderr); launches are then recorded by the
 * wrappers. */
bool cupti_attach(void);
/* Has it been tried in this process (and said why not)? */
bool cupti_tried(void);
/* For a recording with a window (window.h), which cupti_attach() leaves off: begins to send records
 * and calls, or stops. False: CUPTI cannot be used. */
bool cupti_collect(bool on);
/* Do we record with this kind of activity (enum cupti_kind)? */
bool cupti_needs(int kind);
/* A forked child: ids of its parent's dictionary are not its own. */
void cupti_forget(void);
/* Asks for the records that are complete, or (`all`) for every one. From the writer thread only. */
void cupti_flush(bool all);
/* The records of a full buffer, one by one. */
void cupti_read(const uint8_t *bytes, size_t valid, void (*each)(const struct gpu_record *));
/* Records that CUPTI dropped in a buffer's context and stream since it was asked last. */
uint64_t cupti_dropped(void *context, uint32_t stream);

#endif
