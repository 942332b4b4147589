/* The time of a step as people read it: headings, the rows below them, and in some rows leaves of
 * their own. Every leaf has one row. The headings are disjoint and cover every leaf: what is
 * printed adds up to the step.
 */
#ifndef CONCLUDE_TIME_TREE_H
#define CONCLUDE_TIME_TREE_H

#include "summary/leaf.h"

/* A leaf that is added gets its row here, in the order of the report.
 * HEAD(identifier, label, leaves); then its rows: GROUP of several leaves (identifier, label,
 * leaves), each with a PART below; ROW of one leaf (its identifier, label). */
#define TIME_TREE(HEAD, GROUP, ROW, PART)                       \
	HEAD(COMPUTING, "Computing", LEAVES_WORK)                   \
	ROW(WORK_MATMUL, "matmul")                                  \
	ROW(WORK_CUSTOM, "custom")                                  \
	ROW(WORK_MEMORY, "memory")                                  \
	ROW(WORK_OTHER, "other kernels")                            \
	ROW(WORK_GRAPH, "CUDA graphs")                              \
	HEAD(EXPOSED, "NCCL and copies", LEAVES_NCCL | LEAVES_COPY) \
	GROUP(NCCL, "NCCL exposed", LEAVES_NCCL)                    \
	PART(NCCL_WAIT, "NCCL wait")                                \
	PART(NCCL_TRANSFER, "NCCL transfer")                        \
	PART(NCCL_UNSPLIT, "NCCL unsplit")                          \
	ROW(COPY_EXPOSED, "copies exposed")                         \
	HEAD(GPU, "GPU-side waits", LEAVES_GPU)                     \
	ROW(GPU_DISPATCH, "dispatch")                               \
	ROW(GPU_QUEUE_FULL, "queue full")                           \
	ROW(GPU_DEPENDENCY, "dependency")                           \
	ROW(GPU_SHARED, "shared GPU")                               \
	HEAD(CPU, "CPU launch overhead", LEAVES_CPU)                \
	ROW(CPU_FRAMEWORK, "framework")                             \
	ROW(CPU_LAUNCH_CALL, "launch calls")                        \
	ROW(CPU_LAUNCH_LATENCY, "launch latency")                   \
	ROW(CPU_API, "other API calls")                             \
	HEAD(HOST, "Host stalls", LEAVES_HOST)                      \
	ROW(HOST_INPUT, "input")                                    \
	ROW(HOST_SYNC, "sync")                                      \
	ROW(HOST_CODE, "host code")                                 \
	ROW(HOST_ALLOC, "alloc")                                    \
	ROW(HOST_MODULE_LOAD, "module load")                        \
	ROW(HOST_NCCL_HOST, "NCCL host calls")                      \
	ROW(HOST_NO_CORE, "no core")                                \
	ROW(HOST_BLOCKED, "blocked")                                \
	ROW(HOST_HOST_FUNC, "host function")                        \
	HEAD(PROFILER, "Profiler", LEAF_BIT(LEAF_TOOL_PROFILER))    \
	PART(TOOL_PROFILER, "profiler")                             \
	HEAD(UNKNOWN, "Unknown", LEAVES_UNKNOWN)                    \
	PART(UNKNOWN_UNEXPLAINED, "unexplained")                    \
	PART(UNKNOWN_UNMATCHED, "unmatched")                        \
	PART(UNKNOWN_UNRECORDED, "unrecorded")

enum time_row_id {
#define X(id, ...) TIME_##id,
	TIME_TREE(X, X, X, X)
#undef X
		TIME_ROWS
};

enum time_level { TIME_HEAD, TIME_ROW, TIME_PART };

struct time_row {
	const char *label;
	uint64_t leaves;
	enum time_level level;
};
extern const struct time_row time_tree[TIME_ROWS];
/* What a leaf is called on every screen. */
const char *time_label(enum leaf leaf);

#endif
