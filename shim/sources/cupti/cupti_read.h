/* What the GPU did, as our own records: CUPTI's are read here and nowhere else. */
#ifndef SHIM_CUPTI_READ_H
#define SHIM_CUPTI_READ_H

#include <baton/format.h>
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
	uint8_t memory; /* of a copy or memset, as the column of that name */
	bool has_ends;  /* a copy between these devices */
	uint32_t source, target;
	struct baton_r_shape shape; /* of a kernel: all but head and id */
	uint64_t graph_node;
	uint32_t graph;
	uint32_t thread;        /* of an overhead record: tid, 0 none */
	uint32_t overhead_kind; /* enum baton_overhead_kind */
};

/* The records of a full buffer, one by one. */
void cupti_read(const uint8_t *bytes, size_t valid, void (*each)(const struct gpu_record *));

#endif
