/* The leaves of the time tree (docs/ATTRIBUTION.md), in the order in which they are printed. */
#ifndef SUMMARY_LEAF_H
#define SUMMARY_LEAF_H

#include <stdint.h>

/* X(identifier, name). conclude/time_tree.h has the wording for reports. */
#define LEAVES(X)                                      \
	X(WORK_MATMUL, "work.matmul")                      \
	X(WORK_CUSTOM, "work.custom")                      \
	X(WORK_OTHER, "work.other")                        \
	X(WORK_MEMORY, "work.memory")                      \
	X(WORK_GRAPH, "work.graph")                        \
	X(NCCL_TRANSFER, "nccl.transfer")                  \
	X(NCCL_UNSPLIT, "nccl.unsplit")                    \
	X(NCCL_WAIT, "nccl.wait")                          \
	X(COPY_EXPOSED, "copy.exposed")                    \
	X(HOST_ALLOC, "idle.host.alloc")                   \
	X(HOST_MODULE_LOAD, "idle.host.module_load")       \
	X(HOST_INPUT, "idle.host.input")                   \
	X(HOST_NCCL_HOST, "idle.host.nccl_host")           \
	X(HOST_SYNC, "idle.host.sync")                     \
	X(TOOL_PROFILER, "idle.tool.profiler")             \
	X(GPU_QUEUE_FULL, "idle.gpu.queue_full")           \
	X(HOST_NO_CORE, "idle.host.no_core")               \
	X(HOST_BLOCKED, "idle.host.blocked")               \
	X(CPU_API, "idle.cpu.api")                         \
	X(HOST_CODE, "idle.host.code")                     \
	X(CPU_FRAMEWORK, "idle.cpu.framework")             \
	X(CPU_LAUNCH_CALL, "idle.cpu.launch_call")         \
	X(CPU_LAUNCH_LATENCY, "idle.cpu.launch_latency")   \
	X(HOST_HOST_FUNC, "idle.host.host_func")           \
	X(GPU_DEPENDENCY, "idle.gpu.dependency")           \
	X(GPU_DISPATCH, "idle.gpu.dispatch")               \
	X(GPU_SHARED, "idle.gpu.shared")                   \
	X(UNKNOWN_UNRECORDED, "idle.unknown.unrecorded")   \
	X(UNKNOWN_UNEXPLAINED, "idle.unknown.unexplained") \
	X(UNKNOWN_UNMATCHED, "idle.unknown.unmatched")

enum leaf {
#define X(id, name) LEAF_##id,
	LEAVES(X)
#undef X
		LEAF_COUNT
};

static inline const char *leaf_name(enum leaf leaf)
{
	static const char *const names[] = {
#define X(id, name) name,
		LEAVES(X)
#undef X
	};
	return names[leaf];
}

/* All names in one literal, each followed by a space. */
#define LEAF_NAME_TEXT(id, name) name " "
#define LEAF_NAMES LEAVES(LEAF_NAME_TEXT)

/* The leaves (LEAF_BITs) that `prefix` names as users type it: a single leaf, or all leaves under
 * "idle" or "idle.host". 0: none. A trailing dot changes nothing. */
uint64_t leaf_names_under(const char *prefix);
/* The name most similar to a mistyped one, out of the names of `leaves`. */
const char *leaf_names_nearest(const char *typed, uint64_t leaves);

#define LEAF_BIT(leaf) (UINT64_C(1) << (leaf))
#define LEAVES_ALL (LEAF_BIT(LEAF_COUNT) - 1)
#define LEAVES_WORK                                                                        \
	(LEAF_BIT(LEAF_WORK_MATMUL) | LEAF_BIT(LEAF_WORK_CUSTOM) | LEAF_BIT(LEAF_WORK_OTHER) | \
	 LEAF_BIT(LEAF_WORK_MEMORY) | LEAF_BIT(LEAF_WORK_GRAPH))
#define LEAVES_NCCL \
	(LEAF_BIT(LEAF_NCCL_TRANSFER) | LEAF_BIT(LEAF_NCCL_UNSPLIT) | LEAF_BIT(LEAF_NCCL_WAIT))
#define LEAVES_COPY LEAF_BIT(LEAF_COPY_EXPOSED)
#define LEAVES_GPU                                                                                 \
	(LEAF_BIT(LEAF_GPU_QUEUE_FULL) | LEAF_BIT(LEAF_GPU_DEPENDENCY) | LEAF_BIT(LEAF_GPU_DISPATCH) | \
	 LEAF_BIT(LEAF_GPU_SHARED))
#define LEAVES_UNKNOWN                                                        \
	(LEAF_BIT(LEAF_UNKNOWN_UNRECORDED) | LEAF_BIT(LEAF_UNKNOWN_UNEXPLAINED) | \
	 LEAF_BIT(LEAF_UNKNOWN_UNMATCHED))
#define LEAVES_CPU                                                                            \
	(LEAF_BIT(LEAF_CPU_API) | LEAF_BIT(LEAF_CPU_FRAMEWORK) | LEAF_BIT(LEAF_CPU_LAUNCH_CALL) | \
	 LEAF_BIT(LEAF_CPU_LAUNCH_LATENCY))
#define LEAVES_HOST                                                                            \
	(LEAF_BIT(LEAF_HOST_ALLOC) | LEAF_BIT(LEAF_HOST_MODULE_LOAD) | LEAF_BIT(LEAF_HOST_INPUT) | \
	 LEAF_BIT(LEAF_HOST_NCCL_HOST) | LEAF_BIT(LEAF_HOST_SYNC) | LEAF_BIT(LEAF_HOST_NO_CORE) |  \
	 LEAF_BIT(LEAF_HOST_BLOCKED) | LEAF_BIT(LEAF_HOST_CODE) | LEAF_BIT(LEAF_HOST_HOST_FUNC))
#define LEAVES_IDLE (LEAVES_ALL & ~(LEAVES_WORK | LEAVES_NCCL | LEAVES_COPY))
/* Work, NCCL, copies and unknown: all that a trace without launch records can show. */
#define LEAVES_WITHOUT_LAUNCHES (LEAVES_WORK | LEAVES_NCCL | LEAVES_COPY | LEAVES_UNKNOWN)
_Static_assert(LEAF_COUNT < 64, "leaf masks are 64 bits");

#endif
