/* What a thread of a script can do: its instructions, and the calls that they make as the trace
 * names them. An instruction is executed in machine/thread.c, or, when it is a call, in one of
 * the files of calls/. */
#ifndef SIMGPU_VIRTUAL_SCRIPT_INSTRUCTIONS_H
#define SIMGPU_VIRTUAL_SCRIPT_INSTRUCTIONS_H

#include <stdint.h>

enum point { /* places of a step where a fault may put something in */
			 POINT_STEP_BEGIN,
			 POINT_INPUT,
			 POINT_FORWARD, /* once per layer or so */
			 POINT_LOSS,    /* between forward and backward */
			 POINT_BACKWARD,
			 POINT_OPTIMIZER,
			 POINT_STEP_END,
			 POINT_COUNT
};

enum insn_kind {
	INSN_WORK,        /* a: sim_table or TABLE_COUNT (c ns); b: factor; on a core with the GIL */
	INSN_WORK_NATIVE, /* the same without the GIL (backward threads, loaders' decoding) */
	INSN_SLEEP,       /* c ns off the core: I/O; cause in a */
	INSN_STALL,       /* c ns on the core with the GIL, cause in a (page faults, profiler) */
	INSN_KERNEL,      /* a: stream, b: kernel */
	INSN_COPY,        /* a: stream, b: enum copy_kind, c: bytes, d: peer device of the process */
	INSN_MEMSET,      /* a: stream, c: bytes */
	INSN_COLLECTIVE,  /* a: stream, b: comm, c: bytes, d: enum baton_coll */
	INSN_SENDRECV,    /* a: stream, b: comm, c: bytes, d: peer (member index) | SENDRECV_... */
	INSN_GROUP_BEGIN, /* the collectives up to the end become one kernel */
	INSN_GROUP_END,
	INSN_RECORD,      /* a: event, b: stream */
	INSN_WAIT,        /* a: stream, b: event: stream order, the host does not wait */
	INSN_SYNC_STREAM, /* a: stream */
	INSN_SYNC_DEVICE, /* a: device of the process */
	INSN_SYNC_EVENT,  /* a: event */
	INSN_HOST_FUNC,   /* a: stream, c: ns it runs */
	INSN_MALLOC,      /* a: device, c: ns the call takes */
	INSN_FREE,        /* a: device, c: ns; waits for the device first, as cudaFree does */
	INSN_MODULE_LOAD, /* c: ns */
	INSN_GRAPH,       /* a: stream, b: graph */
	INSN_PUT,         /* a: queue: one item */
	INSN_GET,         /* a: queue: waits for an item; cause in b */
	INSN_SIGNAL,      /* a: semaphore + 1 */
	INSN_AWAIT,       /* a: semaphore - 1, waits; whoever signals it owns the wait */
	INSN_PUSH,        /* b: string: an NVTX range begins */
	INSN_POP,
	INSN_POINT, /* a: enum point */
	INSN_NOTHING,
	INSN_KINDS
};

enum copy_kind {
	COPY_HTOD_PINNED,
	COPY_HTOD_PAGEABLE,
	COPY_DTOH_PINNED,
	COPY_DTOH_PAGEABLE,
	COPY_DTOD,
	COPY_PEER
};
#define SENDRECV_SEND 0x10000
#define SENDRECV_RECV 0x20000

struct insn {
	uint8_t kind;
	uint16_t a;
	uint32_t b;
	int64_t c;
	int32_t d;
	uint32_t every; /* of what a fault put in: at its point's passes 0, every, 2 x every, ... */
};

/* Calls by the names that CUPTI and NCCL give them. New ones come last: traces number them so. */
#define APIS(X)                                \
	X(LAUNCH, "cudaLaunchKernel")              \
	X(LAUNCH_EX, "cudaLaunchKernelExC")        \
	X(MEMCPY_ASYNC, "cudaMemcpyAsync")         \
	X(MEMCPY, "cudaMemcpy")                    \
	X(MEMSET_ASYNC, "cudaMemsetAsync")         \
	X(GRAPH_LAUNCH, "cudaGraphLaunch")         \
	X(EVENT_RECORD, "cudaEventRecord")         \
	X(STREAM_WAIT, "cudaStreamWaitEvent")      \
	X(STREAM_SYNC, "cudaStreamSynchronize")    \
	X(DEVICE_SYNC, "cudaDeviceSynchronize")    \
	X(EVENT_SYNC, "cudaEventSynchronize")      \
	X(HOST_FUNC, "cudaLaunchHostFunc")         \
	X(MALLOC, "cudaMalloc")                    \
	X(FREE, "cudaFree")                        \
	X(MODULE_LOAD, "cuModuleLoadDataEx")       \
	X(NCCL_ALLREDUCE, "ncclAllReduce")         \
	X(NCCL_ALLGATHER, "ncclAllGather")         \
	X(NCCL_REDUCESCATTER, "ncclReduceScatter") \
	X(NCCL_ALLTOALL, "ncclAlltoAll")           \
	X(NCCL_BROADCAST, "ncclBroadcast")         \
	X(NCCL_REDUCE, "ncclReduce")               \
	X(NCCL_SEND, "ncclSend")                   \
	X(NCCL_RECV, "ncclRecv")                   \
	X(NCCL_GROUP_END, "ncclGroupEnd")

enum api {
	API_NONE,
#define API_NUMBERED(name_, text_) API_##name_,
	APIS(API_NUMBERED)
#undef API_NUMBERED
		API_COUNT
};

#endif
