/* The tables of a data set and their columns (docs/TABLES.md). Units stand in the names. There are no
 * unsigned 64-bit columns, because Spark makes decimals of them. */
#ifndef EXPORT_DATASET_SCHEMA_H
#define EXPORT_DATASET_SCHEMA_H

#include <stdbool.h>
#include <stdint.h>

enum dataset_type { DATASET_INT32, DATASET_INT64, DATASET_TEXT };

struct dataset_column {
	const char *name;
	enum dataset_type type;
};

struct dataset_table {
	const char *name;
	const struct dataset_column *columns; /* rank first; with by_step the step follows */
	unsigned n_columns;
	bool by_step; /* it may have a directory for each step */
};

enum dataset_kind {
	DATASET_KERNELS,
	DATASET_CALLS,
	DATASET_GAPS,
	DATASET_COLLECTIVES,
	DATASET_RANGES,
	DATASET_STEPS,
	DATASET_STACKS,
	DATASET_GAUGES,
	DATASET_TABLES
};

/* X(enumerator, name, type) */
#define DATASET_KERNELS_COLUMNS(X)                          \
	X(KERNEL_RANK, "rank", INT32)                           \
	X(KERNEL_STEP, "step", INT64)                           \
	X(KERNEL_START, "start_ns", INT64)                      \
	X(KERNEL_DUR, "dur_ns", INT64)                          \
	X(KERNEL_DEVICE, "device", TEXT)                        \
	X(KERNEL_GPU, "gpu", INT32)                             \
	X(KERNEL_PID, "pid", INT64)                             \
	X(KERNEL_CONTEXT, "context", INT64)                     \
	X(KERNEL_STREAM, "stream", INT64)                       \
	X(KERNEL_KIND, "kind", TEXT)                            \
	X(KERNEL_NAME, "name", TEXT)                            \
	X(KERNEL_GROUP, "group", TEXT)                          \
	X(KERNEL_CLASS, "class", TEXT)                          \
	X(KERNEL_CORRELATION, "correlation", INT64)             \
	X(KERNEL_LAUNCH, "launch_ns", INT64)                    \
	X(KERNEL_LAUNCH_DUR, "launch_dur_ns", INT64)            \
	X(KERNEL_CALL, "call", TEXT)                            \
	X(KERNEL_TID, "tid", INT64)                             \
	X(KERNEL_BYTES, "bytes", INT64)                         \
	X(KERNEL_COPY, "copy", TEXT)                            \
	X(KERNEL_FROM, "from_memory", TEXT)                     \
	X(KERNEL_TO, "to_memory", TEXT)                         \
	X(KERNEL_FROM_DEVICE, "from_device", TEXT)              \
	X(KERNEL_TO_DEVICE, "to_device", TEXT)                  \
	X(KERNEL_GRID_X, "grid_x", INT32)                       \
	X(KERNEL_GRID_Y, "grid_y", INT32)                       \
	X(KERNEL_GRID_Z, "grid_z", INT32)                       \
	X(KERNEL_BLOCK_X, "block_x", INT32)                     \
	X(KERNEL_BLOCK_Y, "block_y", INT32)                     \
	X(KERNEL_BLOCK_Z, "block_z", INT32)                     \
	X(KERNEL_REGISTERS, "registers", INT32)                 \
	X(KERNEL_STATIC_SHARED, "static_shared_bytes", INT32)   \
	X(KERNEL_DYNAMIC_SHARED, "dynamic_shared_bytes", INT32) \
	X(KERNEL_GRAPH_NODE, "graph_node", INT64)               \
	X(KERNEL_PRIORITY, "stream_priority", INT32)

#define DATASET_CALLS_COLUMNS(X)                  \
	X(CALL_ROW_RANK, "rank", INT32)               \
	X(CALL_ROW_STEP, "step", INT64)               \
	X(CALL_ROW_START, "start_ns", INT64)          \
	X(CALL_ROW_DUR, "dur_ns", INT64)              \
	X(CALL_ROW_PID, "pid", INT64)                 \
	X(CALL_ROW_TID, "tid", INT64)                 \
	X(CALL_ROW_THREAD, "thread", TEXT)            \
	X(CALL_ROW_NAME, "name", TEXT)                \
	X(CALL_ROW_CORRELATION, "correlation", INT64) \
	X(CALL_ROW_STACK, "stack", INT64)             \
	X(CALL_ROW_GPU, "gpu", INT32)                 \
	X(CALL_ROW_RESULT, "result", INT64)           \
	X(CALL_ROW_BYTES, "bytes", INT64)             \
	X(CALL_ROW_MEMORY, "memory", TEXT)

#define DATASET_GAPS_COLUMNS(X)     \
	X(GAP_RANK, "rank", INT32)      \
	X(GAP_STEP, "step", INT64)      \
	X(GAP_START, "start_ns", INT64) \
	X(GAP_DUR, "dur_ns", INT64)     \
	X(GAP_DEVICE, "device", TEXT)   \
	X(GAP_PID, "pid", INT64)        \
	X(GAP_LEAF, "leaf", TEXT)       \
	X(GAP_EVIDENCE, "evidence", TEXT)

#define DATASET_COLLECTIVES_COLUMNS(X)              \
	X(COLLECTIVE_RANK, "rank", INT32)               \
	X(COLLECTIVE_STEP, "step", INT64)               \
	X(COLLECTIVE_START, "start_ns", INT64)          \
	X(COLLECTIVE_DUR, "dur_ns", INT64)              \
	X(COLLECTIVE_DEVICE, "device", TEXT)            \
	X(COLLECTIVE_PID, "pid", INT64)                 \
	X(COLLECTIVE_STREAM, "stream", INT64)           \
	X(COLLECTIVE_CORRELATION, "correlation", INT64) \
	X(COLLECTIVE_KERNEL, "kernel", TEXT)            \
	X(COLLECTIVE_OP, "op", TEXT)                    \
	X(COLLECTIVE_COMM, "comm", TEXT)                \
	X(COLLECTIVE_RANKS, "ranks", INT32)             \
	X(COLLECTIVE_SEQUENCE, "sequence", INT64)       \
	X(COLLECTIVE_BYTES, "bytes", INT64)             \
	X(COLLECTIVE_OUT_BYTES, "out_bytes", INT64)     \
	X(COLLECTIVE_TRANSFER, "transfer_ns", INT64)    \
	X(COLLECTIVE_WAIT, "wait_ns", INT64)            \
	X(COLLECTIVE_UNSPLIT, "unsplit_ns", INT64)      \
	X(COLLECTIVE_REASON, "unsplit_reason", TEXT)

#define DATASET_RANGES_COLUMNS(X)             \
	X(RANGE_ROW_RANK, "rank", INT32)          \
	X(RANGE_ROW_STEP, "step", INT64)          \
	X(RANGE_ROW_START, "start_ns", INT64)     \
	X(RANGE_ROW_DUR, "dur_ns", INT64)         \
	X(RANGE_ROW_PID, "pid", INT64)            \
	X(RANGE_ROW_TID, "tid", INT64)            \
	X(RANGE_ROW_THREAD, "thread", TEXT)       \
	X(RANGE_ROW_NAME, "name", TEXT)           \
	X(RANGE_ROW_CATEGORY, "category", TEXT)   \
	X(RANGE_ROW_DOMAIN, "domain", TEXT)       \
	X(RANGE_ROW_UNCLOSED, "unclosed", INT32)  \
	X(RANGE_ROW_SHAPES, "input_shapes", TEXT) \
	X(RANGE_ROW_TYPES, "input_types", TEXT)

#define DATASET_STEPS_COLUMNS(X)                   \
	X(STEP_RANK, "rank", INT32)                    \
	X(STEP_NUMBER, "step", INT64)                  \
	X(STEP_START, "start_ns", INT64)               \
	X(STEP_DUR, "dur_ns", INT64)                   \
	X(STEP_LAUNCH_START, "launch_start_ns", INT64) \
	X(STEP_LAUNCH_DUR, "launch_dur_ns", INT64)     \
	X(STEP_DEVICE, "device", TEXT)                 \
	X(STEP_PID, "pid", INT64)                      \
	X(STEP_PLACE, "place", INT64)

#define DATASET_STACKS_COLUMNS(X)       \
	X(STACK_RANK, "rank", INT32)        \
	X(STACK_PID, "pid", INT64)          \
	X(STACK_NUMBER, "stack", INT64)     \
	X(STACK_DEPTH, "depth", INT32)      \
	X(STACK_KIND, "kind", TEXT)         \
	X(STACK_FRAME, "frame", TEXT)       \
	X(STACK_FILE, "file", TEXT)         \
	X(STACK_FUNCTION, "function", TEXT) \
	X(STACK_LIBRARY, "library", TEXT)

#define DATASET_GAUGES_COLUMNS(X)         \
	X(GAUGE_ROW_RANK, "rank", INT32)      \
	X(GAUGE_ROW_START, "start_ns", INT64) \
	X(GAUGE_ROW_DEVICE, "device", TEXT)   \
	X(GAUGE_ROW_NAME, "gauge", TEXT)      \
	X(GAUGE_ROW_VALUE, "value", INT64)

#define DATASET_ENUMERATOR(id, name, type) id,
enum dataset_kernels_column { DATASET_KERNELS_COLUMNS(DATASET_ENUMERATOR) KERNEL_COLUMNS };
enum dataset_calls_column { DATASET_CALLS_COLUMNS(DATASET_ENUMERATOR) CALL_ROW_COLUMNS };
enum dataset_gaps_column { DATASET_GAPS_COLUMNS(DATASET_ENUMERATOR) GAP_COLUMNS };
enum dataset_collectives_column {
	DATASET_COLLECTIVES_COLUMNS(DATASET_ENUMERATOR) COLLECTIVE_COLUMNS
};
enum dataset_ranges_column { DATASET_RANGES_COLUMNS(DATASET_ENUMERATOR) RANGE_ROW_COLUMNS };
enum dataset_steps_column { DATASET_STEPS_COLUMNS(DATASET_ENUMERATOR) STEP_COLUMNS };
enum dataset_stacks_column { DATASET_STACKS_COLUMNS(DATASET_ENUMERATOR) STACK_COLUMNS };
enum dataset_gauges_column { DATASET_GAUGES_COLUMNS(DATASET_ENUMERATOR) GAUGE_ROW_COLUMNS };
#undef DATASET_ENUMERATOR

enum { DATASET_COLUMNS_MOST = KERNEL_COLUMNS };

extern const struct dataset_table dataset_tables[DATASET_TABLES];

#endif
