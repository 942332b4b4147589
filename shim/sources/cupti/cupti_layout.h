/* What is read of CUPTI, as one table: record kinds, where the fields of a record lie, the data of
 * a callback, the numbers of the calls, error codes. The fields below are at the same offsets in
 * every release from 11.8 to 13.5 (what grows in a record grows at its end); the exceptions carry a
 * version in their name. tests/cupti/layouts_test.py compares all of it with the vendor's headers.
 * No vendor header is included: each release has its own and they exclude one another. */
#ifndef SHIM_CUPTI_LAYOUT_H
#define SHIM_CUPTI_LAYOUT_H

enum cupti_error {
	CUPTI_OK = 0,
	CUPTI_INVALID_PARAMETER = 1,
	CUPTI_INVALID_OPERATION = 7,
	CUPTI_MAX_LIMIT_REACHED = 12, /* no more records in a buffer; a second subscriber up to 11.x */
	CUPTI_NOT_READY = 13,
	CUPTI_NOT_COMPATIBLE = 14,
	CUPTI_NOT_INITIALIZED = 15, /* no driver, or one older than CUPTI; up to 12.9 */
	CUPTI_INVALID_KIND = 21,
	CUPTI_NOT_SUPPORTED = 27,
	CUPTI_INSUFFICIENT_PRIVILEGES = 35,
	CUPTI_MULTIPLE_SUBSCRIBERS = 39, /* somebody else has it */
	CUPTI_UNKNOWN = 999              /* no driver, from 13.0 on */
};

enum cupti_kind { /* of a record: its first four bytes */
				  CUPTI_KIND_MEMCPY = 1,
				  CUPTI_KIND_MEMSET = 2,
				  CUPTI_KIND_KERNEL = 3, /* serialises kernels: never enabled */
				  CUPTI_KIND_DRIVER = 4,
				  CUPTI_KIND_RUNTIME = 5,
				  CUPTI_KIND_DEVICE = 8,
				  CUPTI_KIND_CONTEXT = 9,
				  CUPTI_KIND_CONCURRENT_KERNEL = 10,
				  CUPTI_KIND_OVERHEAD = 17,
				  CUPTI_KIND_MEMCPY2 = 22, /* between devices */
				  CUPTI_KIND_CUDA_EVENT = 36,
				  CUPTI_KIND_SYNCHRONIZATION = 38,
				  CUPTI_KIND_EXTERNAL_CORRELATION = 39,
				  CUPTI_KIND_GRAPH_TRACE = 51
};

enum cupti_domain {
	CUPTI_DOMAIN_DRIVER = 1,
	CUPTI_DOMAIN_RUNTIME = 2,
	CUPTI_DOMAIN_RESOURCE = 3,
	CUPTI_DOMAIN_SYNCHRONIZE = 4
};
enum cupti_site { CUPTI_ENTER = 0, CUPTI_EXIT = 1 };
enum cupti_resource {
	CUPTI_RESOURCE_CONTEXT_CREATED = 1,
	CUPTI_RESOURCE_CONTEXT_DESTROY_STARTING = 2,
	CUPTI_RESOURCE_STREAM_CREATED = 3,
	CUPTI_RESOURCE_STREAM_DESTROY_STARTING = 4,
	CUPTI_RESOURCE_MODULE_LOADED = 6,
	CUPTI_RESOURCE_GRAPHNODE_CREATED = 13,
	CUPTI_RESOURCE_GRAPHEXEC_CREATED = 18,
	CUPTI_RESOURCE_GRAPHNODE_CLONED = 20
};

enum cupti_attribute {
	CUPTI_ATTRIBUTE_DEVICE_BUFFER_SIZE = 0,
	CUPTI_ATTRIBUTE_ZEROED_BUFFER = 5, /* the client hands out zeroed buffers */
	CUPTI_ATTRIBUTE_PER_THREAD_BUFFER = 9
};
enum cupti_flush { CUPTI_FLUSH_COMPLETED = 0, CUPTI_FLUSH_FORCED = 1 };
enum cupti_thread_id { CUPTI_THREAD_ID_PTHREAD = 0, CUPTI_THREAD_ID_SYSTEM = 1 };

enum cupti_sync_type {
	CUPTI_SYNC_EVENT = 1,
	CUPTI_SYNC_STREAM_WAIT = 2,
	CUPTI_SYNC_STREAM = 3,
	CUPTI_SYNC_CONTEXT = 4
};
enum cupti_copy {
	CUPTI_COPY_HTOD = 1,
	CUPTI_COPY_DTOH = 2,
	CUPTI_COPY_DTOD = 8,
	CUPTI_COPY_HTOH = 9,
	CUPTI_COPY_PTOP = 10
};
enum cupti_memory {
	CUPTI_MEMORY_PAGEABLE = 1,
	CUPTI_MEMORY_PINNED = 2,
	CUPTI_MEMORY_DEVICE = 3,
	CUPTI_MEMORY_ARRAY = 4,
	CUPTI_MEMORY_MANAGED = 5,
	CUPTI_MEMORY_DEVICE_STATIC = 6,
	CUPTI_MEMORY_MANAGED_STATIC = 7
};
enum cupti_overhead {
	CUPTI_OVERHEAD_DRIVER_COMPILER = 1,
	CUPTI_OVERHEAD_BUFFER_FLUSH = 1 << 16,
	CUPTI_OVERHEAD_INSTRUMENTATION = 2 << 16,
	CUPTI_OVERHEAD_RESOURCE = 3 << 16,
	CUPTI_OVERHEAD_MODULE_LOADING = 4 << 16, /* the runtime loads a module */
	CUPTI_OVERHEAD_LAZY_FUNCTION_LOADING = 5 << 16,
	CUPTI_OVERHEAD_COMMAND_BUFFER_FULL = 6 << 16, /* the launch queue was full */
	CUPTI_OVERHEAD_BUFFER_REQUEST = 7 << 16
};
enum cupti_object { /* whom an overhead record is about: objectKind, then objectId */
					CUPTI_OBJECT_PROCESS = 1,
					CUPTI_OBJECT_THREAD = 2,
					CUPTI_OBJECT_DEVICE = 3,
					CUPTI_OBJECT_CONTEXT = 4,
					CUPTI_OBJECT_STREAM = 5
};

/* Bytes from the start of a record. Every record begins with its kind (u32), is a multiple of 8
 * bytes and packed; widths: u8 *_COPY_KIND *_SOURCE_KIND *_TARGET_KIND; u16 REGISTERS,
 * MEMORY_KIND; u64 times,
 * bytes, names, graph nodes; the rest u32 (TYPE, *_KIND of an overhead too). Times: 0 = unknown. */
enum cupti_offset {
	CUPTI_RECORD_KIND = 0,

	CUPTI_KERNEL_REGISTERS = 6, /* per thread */
	CUPTI_KERNEL_START = 16,
	CUPTI_KERNEL_END = 24,
	CUPTI_KERNEL_DEVICE = 40,
	CUPTI_KERNEL_CONTEXT = 44,
	CUPTI_KERNEL_STREAM = 48,
	CUPTI_KERNEL_GRID = 52,  /* x, y, z */
	CUPTI_KERNEL_BLOCK = 64, /* x, y, z */
	CUPTI_KERNEL_STATIC_SHARED = 76,
	CUPTI_KERNEL_DYNAMIC_SHARED = 80,
	CUPTI_KERNEL_CORRELATION = 92,
	CUPTI_KERNEL_NAME = 104,
	CUPTI_KERNEL_QUEUED = 120,    /* 0 unless latency timestamps are on */
	CUPTI_KERNEL_SUBMITTED = 128, /* likewise */
	CUPTI_KERNEL_GRAPH_NODE = 144,
	CUPTI_KERNEL_GRAPH = 156,
	CUPTI_KERNEL_CLUSTER = 176, /* x, y, z; 0 without one */
	CUPTI_KERNEL_READ = 188,    /* bytes of the record that hold all of the above */

	CUPTI_MEMCPY_COPY_KIND = 4,
	CUPTI_MEMCPY_SOURCE_KIND = 5,
	CUPTI_MEMCPY_TARGET_KIND = 6,
	CUPTI_MEMCPY_BYTES = 8,
	CUPTI_MEMCPY_START = 16,
	CUPTI_MEMCPY_END = 24,
	CUPTI_MEMCPY_DEVICE = 32,
	CUPTI_MEMCPY_CONTEXT = 36,
	CUPTI_MEMCPY_STREAM = 40,
	CUPTI_MEMCPY_CORRELATION = 44,
	CUPTI_MEMCPY_GRAPH_NODE = 64,
	CUPTI_MEMCPY_GRAPH = 72,
	CUPTI_MEMCPY_READ = 76,

	CUPTI_MEMCPY2_COPY_KIND = 4,
	CUPTI_MEMCPY2_SOURCE_KIND = 5,
	CUPTI_MEMCPY2_TARGET_KIND = 6,
	CUPTI_MEMCPY2_BYTES = 8,
	CUPTI_MEMCPY2_START = 16,
	CUPTI_MEMCPY2_END = 24,
	CUPTI_MEMCPY2_DEVICE = 32,
	CUPTI_MEMCPY2_CONTEXT = 36,
	CUPTI_MEMCPY2_STREAM = 40,
	CUPTI_MEMCPY2_SOURCE_DEVICE = 44,
	CUPTI_MEMCPY2_SOURCE_CONTEXT = 48,
	CUPTI_MEMCPY2_TARGET_DEVICE = 52,
	CUPTI_MEMCPY2_TARGET_CONTEXT = 56,
	CUPTI_MEMCPY2_CORRELATION = 60,
	CUPTI_MEMCPY2_GRAPH_NODE = 72,
	CUPTI_MEMCPY2_GRAPH = 80,
	CUPTI_MEMCPY2_READ = 84,

	CUPTI_MEMSET_VALUE = 4,
	CUPTI_MEMSET_BYTES = 8,
	CUPTI_MEMSET_START = 16,
	CUPTI_MEMSET_END = 24,
	CUPTI_MEMSET_DEVICE = 32,
	CUPTI_MEMSET_CONTEXT = 36,
	CUPTI_MEMSET_STREAM = 40,
	CUPTI_MEMSET_CORRELATION = 44,
	CUPTI_MEMSET_MEMORY_KIND = 50,
	CUPTI_MEMSET_GRAPH_NODE = 64,
	CUPTI_MEMSET_GRAPH = 72,
	CUPTI_MEMSET_READ = 76,

	CUPTI_SYNC_TYPE = 4,
	CUPTI_SYNC_START = 8,
	CUPTI_SYNC_END = 16,
	CUPTI_SYNC_CORRELATION = 24,
	CUPTI_SYNC_CONTEXT_ID = 28,
	CUPTI_SYNC_STREAM_ID = 32, /* 0xffffffff: all, or none */
	CUPTI_SYNC_EVENT_ID = 36,
	CUPTI_SYNC_READ = 40,

	CUPTI_API_CBID = 4,
	CUPTI_API_START = 8,
	CUPTI_API_END = 16,
	CUPTI_API_PROCESS = 24,
	CUPTI_API_THREAD = 28,
	CUPTI_API_CORRELATION = 32,
	CUPTI_API_RESULT = 36,
	CUPTI_API_READ = 40,

	CUPTI_EXTERNAL_KIND = 4,
	CUPTI_EXTERNAL_ID = 8,
	CUPTI_EXTERNAL_CORRELATION = 16,
	CUPTI_EXTERNAL_READ = 20,

	CUPTI_OVERHEAD_KIND = 4,
	CUPTI_OVERHEAD_OBJECT_KIND = 8,
	CUPTI_OVERHEAD_PROCESS = 12,       /* for process and thread objects */
	CUPTI_OVERHEAD_THREAD = 16,        /* for thread objects */
	CUPTI_OVERHEAD_OBJECT_DEVICE = 12, /* for device, context and stream objects */
	CUPTI_OVERHEAD_START = 24,
	CUPTI_OVERHEAD_END = 32,
	CUPTI_OVERHEAD_READ = 40,
	CUPTI_OVERHEAD_CORRELATION_12_3 = 40, /* a record of 11.x to 12.2 ends at 40 */

	CUPTI_GRAPH_CORRELATION = 4,
	CUPTI_GRAPH_START = 8,
	CUPTI_GRAPH_END = 16,
	CUPTI_GRAPH_DEVICE = 24,
	CUPTI_GRAPH_ID = 28,
	CUPTI_GRAPH_CONTEXT = 32,
	CUPTI_GRAPH_STREAM = 36,
	CUPTI_GRAPH_READ = 40,

	CUPTI_CONTEXT_ID = 4,
	CUPTI_CONTEXT_DEVICE = 8,
	CUPTI_CONTEXT_NULL_STREAM = 14, /* u16 */
	CUPTI_CONTEXT_READ = 16,

	CUPTI_DEVICE_ID = 112,
	CUPTI_DEVICE_UUID = 120, /* 16 bytes */
	CUPTI_DEVICE_NAME = 136,
	CUPTI_DEVICE_READ = 144,

	CUPTI_EVENT_CORRELATION = 4,
	CUPTI_EVENT_CONTEXT = 8,
	CUPTI_EVENT_STREAM = 12,
	CUPTI_EVENT_ID = 16,
	CUPTI_EVENT_READ = 20
};

/* What a callback of the runtime and driver domains is given. */
struct cupti_call {
	int site; /* enum cupti_site */
	const char *function;
	const void *params;
	void *result; /* int *, valid at the exit */
	const char *symbol;
	void *context;
	unsigned context_id;
	unsigned long long *data; /* 8 bytes kept from enter to exit */
	unsigned correlation;
};

/* What a callback of the resource domain is given. */
struct cupti_resource_data {
	void *context;
	void *stream;
	void *descriptor;
};

/* The argument of cuptiSubscribe_v2 (from 13.0 on): who we are, and room for who holds it. */
struct cupti_subscriber_params {
	unsigned long long size; /* one of the two below */
	const char *name;        /* at most 53 characters; reported as "CUPTI for NAME" */
	char *holder;
	unsigned long long holder_bytes; /* at least 64 */
	unsigned char allow_multiple;    /* from 13.2 on (cuptiGetVersion >= 130200) */
	unsigned char zero[7];
};
enum { CUPTI_SUBSCRIBER_PARAMS_13_0 = 32, CUPTI_SUBSCRIBER_PARAMS_13_2 = 40 };

/* The calls that are of interest, by the number that callbacks and API records carry: X(name,
 * number, family). Numbers never change meaning from one release to the next; a release that does
 * not know a number refuses to enable it. Families: LAUNCH (of one kernel), GRAPH (launch), COPY,
 * SET (memset), SYNC, QUERY, EVENT_RECORD, STREAM_WAIT, HOST_FUNC, ALLOC (and free, pin, unpin,
 * map), LOAD (modules, graph instantiation, creation of contexts and streams). _ptsz and _ptds: the
 * per-thread default stream's. */
/* clang-format off */
#define CUPTI_RUNTIME_CALLS(X) \
	X(cudaLaunch_v3020, 13, LAUNCH) X(cudaMalloc_v3020, 20, ALLOC) \
	X(cudaMallocPitch_v3020, 21, ALLOC) X(cudaFree_v3020, 22, ALLOC) \
	X(cudaMallocHost_v3020, 25, ALLOC) X(cudaFreeHost_v3020, 26, ALLOC) \
	X(cudaHostAlloc_v3020, 27, ALLOC) X(cudaMemcpy_v3020, 31, COPY) \
	X(cudaMemcpy2D_v3020, 32, COPY) X(cudaMemcpyToArray_v3020, 33, COPY) \
	X(cudaMemcpy2DToArray_v3020, 34, COPY) X(cudaMemcpyFromArray_v3020, 35, COPY) \
	X(cudaMemcpy2DFromArray_v3020, 36, COPY) X(cudaMemcpyArrayToArray_v3020, 37, COPY) \
	X(cudaMemcpy2DArrayToArray_v3020, 38, COPY) X(cudaMemcpyToSymbol_v3020, 39, COPY) \
	X(cudaMemcpyFromSymbol_v3020, 40, COPY) X(cudaMemcpyAsync_v3020, 41, COPY) \
	X(cudaMemcpyToArrayAsync_v3020, 42, COPY) X(cudaMemcpyFromArrayAsync_v3020, 43, COPY) \
	X(cudaMemcpy2DAsync_v3020, 44, COPY) X(cudaMemcpy2DToArrayAsync_v3020, 45, COPY) \
	X(cudaMemcpy2DFromArrayAsync_v3020, 46, COPY) X(cudaMemcpyToSymbolAsync_v3020, 47, COPY) \
	X(cudaMemcpyFromSymbolAsync_v3020, 48, COPY) X(cudaMemset_v3020, 49, SET) \
	X(cudaMemset2D_v3020, 50, SET) X(cudaMemsetAsync_v3020, 51, SET) \
	X(cudaMemset2DAsync_v3020, 52, SET) X(cudaThreadSynchronize_v3020, 126, SYNC) \
	X(cudaStreamCreate_v3020, 129, LOAD) X(cudaStreamSynchronize_v3020, 131, SYNC) \
	X(cudaStreamQuery_v3020, 132, QUERY) X(cudaEventRecord_v3020, 135, EVENT_RECORD) \
	X(cudaEventSynchronize_v3020, 137, SYNC) X(cudaEventQuery_v3020, 138, QUERY) \
	X(cudaMalloc3D_v3020, 140, ALLOC) X(cudaMemset3D_v3020, 142, SET) \
	X(cudaMemset3DAsync_v3020, 143, SET) X(cudaMemcpy3D_v3020, 144, COPY) \
	X(cudaMemcpy3DAsync_v3020, 145, COPY) X(cudaStreamWaitEvent_v3020, 147, STREAM_WAIT) \
	X(cudaHostRegister_v4000, 152, ALLOC) X(cudaHostUnregister_v4000, 153, ALLOC) \
	X(cudaMemcpyPeer_v4000, 160, COPY) X(cudaMemcpyPeerAsync_v4000, 161, COPY) \
	X(cudaMemcpy3DPeer_v4000, 162, COPY) X(cudaMemcpy3DPeerAsync_v4000, 163, COPY) \
	X(cudaDeviceSynchronize_v3020, 165, SYNC) X(cudaStreamAddCallback_v5000, 197, HOST_FUNC) \
	X(cudaStreamCreateWithFlags_v5000, 198, LOAD) \
	X(cudaStreamCreateWithPriority_v5050, 202, LOAD) X(cudaMallocManaged_v6000, 206, ALLOC) \
	X(cudaLaunchKernel_v7000, 211, LAUNCH) X(cudaLaunch_ptsz_v7000, 213, LAUNCH) \
	X(cudaLaunchKernel_ptsz_v7000, 214, LAUNCH) X(cudaMemcpy_ptds_v7000, 215, COPY) \
	X(cudaMemcpy2D_ptds_v7000, 216, COPY) X(cudaMemcpyToArray_ptds_v7000, 217, COPY) \
	X(cudaMemcpy2DToArray_ptds_v7000, 218, COPY) \
	X(cudaMemcpyFromArray_ptds_v7000, 219, COPY) \
	X(cudaMemcpy2DFromArray_ptds_v7000, 220, COPY) \
	X(cudaMemcpyArrayToArray_ptds_v7000, 221, COPY) \
	X(cudaMemcpy2DArrayToArray_ptds_v7000, 222, COPY) \
	X(cudaMemcpyToSymbol_ptds_v7000, 223, COPY) \
	X(cudaMemcpyFromSymbol_ptds_v7000, 224, COPY) X(cudaMemcpyAsync_ptsz_v7000, 225, COPY) \
	X(cudaMemcpyToArrayAsync_ptsz_v7000, 226, COPY) \
	X(cudaMemcpyFromArrayAsync_ptsz_v7000, 227, COPY) \
	X(cudaMemcpy2DAsync_ptsz_v7000, 228, COPY) \
	X(cudaMemcpy2DToArrayAsync_ptsz_v7000, 229, COPY) \
	X(cudaMemcpy2DFromArrayAsync_ptsz_v7000, 230, COPY) \
	X(cudaMemcpyToSymbolAsync_ptsz_v7000, 231, COPY) \
	X(cudaMemcpyFromSymbolAsync_ptsz_v7000, 232, COPY) X(cudaMemset_ptds_v7000, 233, SET) \
	X(cudaMemset2D_ptds_v7000, 234, SET) X(cudaMemsetAsync_ptsz_v7000, 235, SET) \
	X(cudaMemset2DAsync_ptsz_v7000, 236, SET) X(cudaStreamSynchronize_ptsz_v7000, 239, SYNC) \
	X(cudaStreamQuery_ptsz_v7000, 240, QUERY) \
	X(cudaEventRecord_ptsz_v7000, 242, EVENT_RECORD) X(cudaMemset3D_ptds_v7000, 243, SET) \
	X(cudaMemset3DAsync_ptsz_v7000, 244, SET) X(cudaMemcpy3D_ptds_v7000, 245, COPY) \
	X(cudaMemcpy3DAsync_ptsz_v7000, 246, COPY) \
	X(cudaStreamWaitEvent_ptsz_v7000, 247, STREAM_WAIT) \
	X(cudaStreamAddCallback_ptsz_v7000, 248, HOST_FUNC) \
	X(cudaMemcpy3DPeer_ptds_v7000, 249, COPY) X(cudaMemcpy3DPeerAsync_ptsz_v7000, 250, COPY) \
	X(cudaLaunchCooperativeKernel_v9000, 269, LAUNCH) \
	X(cudaLaunchCooperativeKernel_ptsz_v9000, 270, LAUNCH) \
	X(cudaLaunchCooperativeKernelMultiDevice_v9000, 272, LAUNCH) \
	X(cudaLaunchHostFunc_v10000, 284, HOST_FUNC) \
	X(cudaLaunchHostFunc_ptsz_v10000, 285, HOST_FUNC) \
	X(cudaGraphInstantiate_v10000, 310, LOAD) X(cudaGraphLaunch_v10000, 311, GRAPH) \
	X(cudaGraphLaunch_ptsz_v10000, 312, GRAPH) X(cudaGraphExecUpdate_v10020, 335, LOAD) \
	X(cudaGraphUpload_v10000, 348, LOAD) X(cudaGraphUpload_ptsz_v10000, 349, LOAD) \
	X(cudaEventRecordWithFlags_v11010, 370, EVENT_RECORD) \
	X(cudaEventRecordWithFlags_ptsz_v11010, 371, EVENT_RECORD) \
	X(cudaMallocAsync_v11020, 373, ALLOC) X(cudaMallocAsync_ptsz_v11020, 374, ALLOC) \
	X(cudaFreeAsync_v11020, 375, ALLOC) X(cudaFreeAsync_ptsz_v11020, 376, ALLOC) \
	X(cudaMallocFromPoolAsync_v11020, 391, ALLOC) \
	X(cudaMallocFromPoolAsync_ptsz_v11020, 392, ALLOC) \
	X(cudaGraphInstantiateWithFlags_v11040, 418, LOAD) \
	X(cudaLaunchKernelExC_v11060, 430, LAUNCH) \
	X(cudaLaunchKernelExC_ptsz_v11060, 431, LAUNCH) \
	X(cudaGraphInstantiateWithParams_v12000, 436, LOAD) \
	X(cudaGraphInstantiateWithParams_ptsz_v12000, 437, LOAD) \
	X(cudaGraphInstantiate_v12000, 443, LOAD) X(cudaInitDevice_v12000, 444, LOAD) \
	X(cudaLibraryLoadData_v12060, 470, LOAD) X(cudaLibraryLoadFromFile_v12060, 471, LOAD) \
	X(cudaLibraryUnload_v12060, 472, LOAD) X(cudaLibraryGetKernel_v12060, 473, LOAD) \
	X(cudaMemcpyBatchAsync_v12080, 482, COPY) X(cudaMemcpyBatchAsync_ptsz_v12080, 483, COPY) \
	X(cudaMemcpy3DBatchAsync_v12080, 484, COPY) \
	X(cudaMemcpy3DBatchAsync_ptsz_v12080, 485, COPY) \
	X(__cudaLaunchKernel_v13000, 505, LAUNCH) X(__cudaLaunchKernel_ptsz_v13000, 506, LAUNCH) \
	X(cudaMemcpyBatchAsync_v13000, 509, COPY) X(cudaMemcpyBatchAsync_ptsz_v13000, 510, COPY) \
	X(cudaMemcpy3DBatchAsync_v13000, 511, COPY) \
	X(cudaMemcpy3DBatchAsync_ptsz_v13000, 512, COPY) X(cudaGreenCtxCreate_v13010, 526, LOAD) \
	X(cudaExecutionCtxSynchronize_v13010, 534, SYNC) \
	X(cudaLaunchHostFunc_v2_v13020, 550, HOST_FUNC) \
	X(cudaLaunchHostFunc_v2_ptsz_v13020, 551, HOST_FUNC) \
	X(cudaMemcpyWithAttributesAsync_v13020, 554, COPY) \
	X(cudaMemcpyWithAttributesAsync_ptsz_v13020, 555, COPY) \
	X(cudaMemcpy3DWithAttributesAsync_v13020, 556, COPY) \
	X(cudaMemcpy3DWithAttributesAsync_ptsz_v13020, 557, COPY)

#define CUPTI_DRIVER_CALLS(X) \
	X(cuInit, 1, LOAD) X(cuModuleLoad, 18, LOAD) X(cuModuleLoadData, 19, LOAD) \
	X(cuModuleLoadDataEx, 20, LOAD) X(cuModuleLoadFatBinary, 21, LOAD) \
	X(cuModuleUnload, 22, LOAD) X(cuMemFreeHost, 38, ALLOC) X(cuMemHostAlloc, 39, ALLOC) \
	X(cuEventRecord, 119, EVENT_RECORD) X(cuEventQuery, 120, QUERY) \
	X(cuEventSynchronize, 121, SYNC) X(cuStreamCreate, 124, LOAD) \
	X(cuStreamQuery, 125, QUERY) X(cuStreamSynchronize, 126, SYNC) \
	X(cuMemsetD8Async, 216, SET) X(cuMemsetD16Async, 218, SET) X(cuMemsetD32Async, 220, SET) \
	X(cuMemsetD2D8Async, 222, SET) X(cuMemsetD2D16Async, 224, SET) \
	X(cuMemsetD2D32Async, 226, SET) X(cuCtxCreate_v2, 235, LOAD) \
	X(cuMemAlloc_v2, 243, ALLOC) X(cuMemAllocPitch_v2, 244, ALLOC) \
	X(cuMemFree_v2, 245, ALLOC) X(cuMemsetD8_v2, 249, SET) X(cuMemsetD16_v2, 250, SET) \
	X(cuMemsetD32_v2, 251, SET) X(cuMemsetD2D8_v2, 252, SET) X(cuMemsetD2D16_v2, 253, SET) \
	X(cuMemsetD2D32_v2, 254, SET) X(cuMemcpyHtoD_v2, 276, COPY) \
	X(cuMemcpyHtoDAsync_v2, 277, COPY) X(cuMemcpyDtoH_v2, 278, COPY) \
	X(cuMemcpyDtoHAsync_v2, 279, COPY) X(cuMemcpyDtoD_v2, 280, COPY) \
	X(cuMemcpyDtoDAsync_v2, 281, COPY) X(cuMemcpyAtoH_v2, 282, COPY) \
	X(cuMemcpyAtoHAsync_v2, 283, COPY) X(cuMemcpyAtoD_v2, 284, COPY) \
	X(cuMemcpyDtoA_v2, 285, COPY) X(cuMemcpyAtoA_v2, 286, COPY) X(cuMemcpy2D_v2, 287, COPY) \
	X(cuMemcpy2DUnaligned_v2, 288, COPY) X(cuMemcpy2DAsync_v2, 289, COPY) \
	X(cuMemcpy3D_v2, 290, COPY) X(cuMemcpy3DAsync_v2, 291, COPY) \
	X(cuMemcpyHtoA_v2, 292, COPY) X(cuMemcpyHtoAAsync_v2, 293, COPY) \
	X(cuMemAllocHost_v2, 294, ALLOC) X(cuStreamWaitEvent, 295, STREAM_WAIT) \
	X(cuMemHostRegister, 301, ALLOC) X(cuMemHostUnregister, 302, ALLOC) \
	X(cuMemcpy, 305, COPY) X(cuMemcpyAsync, 306, COPY) X(cuLaunchKernel, 307, LAUNCH) \
	X(cuMemcpyPeer, 318, COPY) X(cuMemcpyPeerAsync, 319, COPY) X(cuMemcpy3DPeer, 320, COPY) \
	X(cuMemcpy3DPeerAsync, 321, COPY) X(cuStreamAddCallback, 346, HOST_FUNC) \
	X(cuLinkCreate, 362, LOAD) X(cuLinkAddData, 363, LOAD) X(cuLinkAddFile, 364, LOAD) \
	X(cuLinkComplete, 365, LOAD) X(cuStreamCreateWithPriority, 367, LOAD) \
	X(cuMemAllocManaged, 371, ALLOC) X(cuMemHostRegister_v2, 379, ALLOC) \
	X(cuLinkCreate_v2, 381, LOAD) X(cuLinkAddData_v2, 382, LOAD) \
	X(cuLinkAddFile_v2, 383, LOAD) X(cuDevicePrimaryCtxRetain, 386, LOAD) \
	X(cuMemcpyHtoD_v2_ptds, 397, COPY) X(cuMemcpyDtoH_v2_ptds, 398, COPY) \
	X(cuMemcpyDtoD_v2_ptds, 399, COPY) X(cuMemcpyDtoA_v2_ptds, 400, COPY) \
	X(cuMemcpyAtoD_v2_ptds, 401, COPY) X(cuMemcpyHtoA_v2_ptds, 402, COPY) \
	X(cuMemcpyAtoH_v2_ptds, 403, COPY) X(cuMemcpyAtoA_v2_ptds, 404, COPY) \
	X(cuMemcpy2D_v2_ptds, 405, COPY) X(cuMemcpy2DUnaligned_v2_ptds, 406, COPY) \
	X(cuMemcpy3D_v2_ptds, 407, COPY) X(cuMemcpy_ptds, 408, COPY) \
	X(cuMemcpyPeer_ptds, 409, COPY) X(cuMemcpy3DPeer_ptds, 410, COPY) \
	X(cuMemsetD8_v2_ptds, 411, SET) X(cuMemsetD16_v2_ptds, 412, SET) \
	X(cuMemsetD32_v2_ptds, 413, SET) X(cuMemsetD2D8_v2_ptds, 414, SET) \
	X(cuMemsetD2D16_v2_ptds, 415, SET) X(cuMemsetD2D32_v2_ptds, 416, SET) \
	X(cuMemcpyAsync_ptsz, 418, COPY) X(cuMemcpyHtoAAsync_v2_ptsz, 419, COPY) \
	X(cuMemcpyAtoHAsync_v2_ptsz, 420, COPY) X(cuMemcpyHtoDAsync_v2_ptsz, 421, COPY) \
	X(cuMemcpyDtoHAsync_v2_ptsz, 422, COPY) X(cuMemcpyDtoDAsync_v2_ptsz, 423, COPY) \
	X(cuMemcpy2DAsync_v2_ptsz, 424, COPY) X(cuMemcpy3DAsync_v2_ptsz, 425, COPY) \
	X(cuMemcpyPeerAsync_ptsz, 426, COPY) X(cuMemcpy3DPeerAsync_ptsz, 427, COPY) \
	X(cuMemsetD8Async_ptsz, 428, SET) X(cuMemsetD16Async_ptsz, 429, SET) \
	X(cuMemsetD32Async_ptsz, 430, SET) X(cuMemsetD2D8Async_ptsz, 431, SET) \
	X(cuMemsetD2D16Async_ptsz, 432, SET) X(cuMemsetD2D32Async_ptsz, 433, SET) \
	X(cuStreamWaitEvent_ptsz, 436, STREAM_WAIT) X(cuStreamAddCallback_ptsz, 437, HOST_FUNC) \
	X(cuStreamQuery_ptsz, 439, QUERY) X(cuStreamSynchronize_ptsz, 440, SYNC) \
	X(cuEventRecord_ptsz, 441, EVENT_RECORD) X(cuLaunchKernel_ptsz, 442, LAUNCH) \
	X(cuLaunchCooperativeKernel, 477, LAUNCH) X(cuLaunchCooperativeKernel_ptsz, 478, LAUNCH) \
	X(cuLaunchCooperativeKernelMultiDevice, 480, LAUNCH) X(cuGraphInstantiate, 513, LOAD) \
	X(cuGraphLaunch, 514, GRAPH) X(cuGraphLaunch_ptsz, 515, GRAPH) \
	X(cuLaunchHostFunc, 527, HOST_FUNC) X(cuLaunchHostFunc_ptsz, 528, HOST_FUNC) \
	X(cuMemAddressReserve, 547, ALLOC) X(cuMemAddressFree, 548, ALLOC) \
	X(cuMemCreate, 549, ALLOC) X(cuMemRelease, 550, ALLOC) X(cuMemMap, 551, ALLOC) \
	X(cuMemUnmap, 552, ALLOC) X(cuGraphExecUpdate, 561, LOAD) \
	X(cuGraphInstantiate_v2, 578, LOAD) X(cuGraphUpload, 580, LOAD) \
	X(cuGraphUpload_ptsz, 581, LOAD) X(cuEventRecordWithFlags, 587, EVENT_RECORD) \
	X(cuEventRecordWithFlags_ptsz, 588, EVENT_RECORD) X(cuMemAllocAsync, 598, ALLOC) \
	X(cuMemAllocAsync_ptsz, 599, ALLOC) X(cuMemFreeAsync, 600, ALLOC) \
	X(cuMemFreeAsync_ptsz, 601, ALLOC) X(cuMemAllocFromPoolAsync, 611, ALLOC) \
	X(cuMemAllocFromPoolAsync_ptsz, 612, ALLOC) X(cuGraphInstantiateWithFlags, 643, LOAD) \
	X(cuCtxCreate_v3, 645, LOAD) X(cuLaunchKernelEx, 652, LAUNCH) \
	X(cuLaunchKernelEx_ptsz, 653, LAUNCH) X(cuGraphInstantiateWithParams, 656, LOAD) \
	X(cuGraphInstantiateWithParams_ptsz, 657, LOAD) X(cuLibraryLoadData, 678, LOAD) \
	X(cuLibraryLoadFromFile, 679, LOAD) X(cuLibraryUnload, 680, LOAD) \
	X(cuLibraryGetKernel, 681, LOAD) X(cuGraphExecUpdate_v2, 696, LOAD) \
	X(cuGreenCtxCreate, 743, LOAD) X(cuCtxCreate_v4, 757, LOAD) \
	X(cuMemcpyBatchAsync, 776, COPY) X(cuMemcpyBatchAsync_ptsz, 777, COPY) \
	X(cuMemcpy3DBatchAsync, 778, COPY) X(cuMemcpy3DBatchAsync_ptsz, 779, COPY) \
	X(cuMemcpyBatchAsync_v2, 796, COPY) X(cuMemcpyBatchAsync_v2_ptsz, 797, COPY) \
	X(cuMemcpy3DBatchAsync_v2, 798, COPY) X(cuMemcpy3DBatchAsync_v2_ptsz, 799, COPY) \
	X(cuCtxSynchronize_v2, 800, SYNC) X(cuLaunchHostFunc_v2, 831, HOST_FUNC) \
	X(cuLaunchHostFunc_v2_ptsz, 832, HOST_FUNC) X(cuMemcpyWithAttributesAsync, 837, COPY) \
	X(cuMemcpyWithAttributesAsync_ptsz, 838, COPY) \
	X(cuMemcpy3DWithAttributesAsync, 839, COPY) \
	X(cuMemcpy3DWithAttributesAsync_ptsz, 840, COPY)

/* Those of them that allocate or pin memory and whose second parameter (at 8) is the size of it: the
 * kind of memory. */
#define CUPTI_RUNTIME_ALLOCATIONS(X) \
	X(cudaMalloc_v3020, DEVICE) X(cudaMallocHost_v3020, PINNED) X(cudaHostAlloc_v3020, PINNED) \
	X(cudaHostRegister_v4000, PINNED) X(cudaMallocManaged_v6000, MANAGED) \
	X(cudaMallocAsync_v11020, DEVICE) X(cudaMallocAsync_ptsz_v11020, DEVICE) \
	X(cudaMallocFromPoolAsync_v11020, DEVICE) X(cudaMallocFromPoolAsync_ptsz_v11020, DEVICE)

#define CUPTI_DRIVER_ALLOCATIONS(X) \
	X(cuMemAlloc_v2, DEVICE) X(cuMemHostAlloc, PINNED) X(cuMemAllocHost_v2, PINNED) \
	X(cuMemHostRegister, PINNED) X(cuMemHostRegister_v2, PINNED) X(cuMemAllocManaged, MANAGED) \
	X(cuMemCreate, DEVICE) X(cuMemAllocAsync, DEVICE) X(cuMemAllocAsync_ptsz, DEVICE) \
	X(cuMemAllocFromPoolAsync, DEVICE) X(cuMemAllocFromPoolAsync_ptsz, DEVICE)
/* clang-format on */

enum cupti_family {
	CUPTI_FAMILY_NONE,
	CUPTI_FAMILY_LAUNCH,
	CUPTI_FAMILY_GRAPH,
	CUPTI_FAMILY_COPY,
	CUPTI_FAMILY_SET,
	CUPTI_FAMILY_SYNC,
	CUPTI_FAMILY_QUERY,
	CUPTI_FAMILY_EVENT_RECORD,
	CUPTI_FAMILY_STREAM_WAIT,
	CUPTI_FAMILY_HOST_FUNC,
	CUPTI_FAMILY_ALLOC,
	CUPTI_FAMILY_LOAD
};

/* What opens and ends a range that a profiler is to record. */
enum cupti_range_cbid {
	CUPTI_RANGE_cudaProfilerStart_v4000 = 171,
	CUPTI_RANGE_cudaProfilerStop_v4000 = 172,
	CUPTI_RANGE_cuProfilerStart = 308,
	CUPTI_RANGE_cuProfilerStop = 309
};

#define CUPTI_ENUMERATOR(name, number, family) CUPTI_CBID_##name = number,
enum cupti_runtime_cbid { CUPTI_RUNTIME_CALLS(CUPTI_ENUMERATOR) CUPTI_RUNTIME_CBID_END };
enum cupti_driver_cbid { CUPTI_DRIVER_CALLS(CUPTI_ENUMERATOR) CUPTI_DRIVER_CBID_END };
#undef CUPTI_ENUMERATOR

#endif
