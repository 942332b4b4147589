/* The records of the activity API, byte by byte: the fields of each family, and how long the record
 * of a family is in a release. Fields never move: a newer struct of a family is a longer one. */
#ifndef SIMGPU_DOUBLES_CUPTI_LAYOUTS_H
#define SIMGPU_DOUBLES_CUPTI_LAYOUTS_H

#include <stdint.h>

enum layout {
	LAYOUT_KERNEL,
	LAYOUT_MEMCPY,
	LAYOUT_MEMCPY2,
	LAYOUT_MEMSET,
	LAYOUT_SYNC,
	LAYOUT_API,
	LAYOUT_EXTERNAL,
	LAYOUT_OVERHEAD,
	LAYOUT_GRAPH,
	LAYOUT_CONTEXT,
	LAYOUT_DEVICE,
	LAYOUT_EVENT,
	LAYOUTS
};

struct layout_struct { /* a family in one release: which of its structs, how long */
	uint16_t number;
	uint16_t bytes;
};

struct layout_field {
	const char *name; /* the vendor's */
	uint16_t offset, width;
	uint16_t since; /* number of the first struct that has it */
};

struct layout_family {
	const char *name; /* the vendor's struct, without its number */
	const struct layout_field *fields;
	unsigned count;
};
extern const struct layout_family layout_families[LAYOUTS];

/* F(name, offset, width, since): X-macros, so that code names the same fields as the table. */
#define LAYOUT_KERNEL_FIELDS(F)           \
	F(kind, 0, 4, 0)                      \
	F(registersPerThread, 6, 2, 0)        \
	F(start, 16, 8, 0)                    \
	F(end, 24, 8, 0)                      \
	F(completed, 32, 8, 0)                \
	F(deviceId, 40, 4, 0)                 \
	F(contextId, 44, 4, 0)                \
	F(streamId, 48, 4, 0)                 \
	F(gridX, 52, 4, 0)                    \
	F(gridY, 56, 4, 0)                    \
	F(gridZ, 60, 4, 0)                    \
	F(blockX, 64, 4, 0)                   \
	F(blockY, 68, 4, 0)                   \
	F(blockZ, 72, 4, 0)                   \
	F(staticSharedMemory, 76, 4, 0)       \
	F(dynamicSharedMemory, 80, 4, 0)      \
	F(localMemoryPerThread, 84, 4, 0)     \
	F(localMemoryTotal, 88, 4, 0)         \
	F(correlationId, 92, 4, 0)            \
	F(gridId, 96, 8, 0)                   \
	F(name, 104, 8, 0)                    \
	F(queued, 120, 8, 0)                  \
	F(submitted, 128, 8, 0)               \
	F(launchType, 136, 1, 0)              \
	F(sharedMemoryExecuted, 140, 4, 0)    \
	F(graphNodeId, 144, 8, 0)             \
	F(shmemLimitConfig, 152, 4, 0)        \
	F(graphId, 156, 4, 0)                 \
	F(channelID, 168, 4, 0)               \
	F(channelType, 172, 4, 0)             \
	F(clusterX, 176, 4, 8)                \
	F(clusterY, 180, 4, 8)                \
	F(clusterZ, 184, 4, 8)                \
	F(clusterSchedulingPolicy, 188, 4, 8) \
	F(localMemoryTotal_v2, 192, 8, 8)     \
	F(maxPotentialClusterSize, 200, 4, 9) \
	F(maxActiveClusters, 204, 4, 9)       \
	F(isDeviceLaunched, 208, 1, 10)       \
	F(priority, 216, 4, 11)               \
	F(executionModel, 224, 4, 12)         \
	F(sourceGraphId, 232, 4, 13)          \
	F(sourceGraphNodeId, 240, 8, 13)

#define LAYOUT_MEMCPY_FIELDS(F)       \
	F(kind, 0, 4, 0)                  \
	F(copyKind, 4, 1, 0)              \
	F(srcKind, 5, 1, 0)               \
	F(dstKind, 6, 1, 0)               \
	F(flags, 7, 1, 0)                 \
	F(bytes, 8, 8, 0)                 \
	F(start, 16, 8, 0)                \
	F(end, 24, 8, 0)                  \
	F(deviceId, 32, 4, 0)             \
	F(contextId, 36, 4, 0)            \
	F(streamId, 40, 4, 0)             \
	F(correlationId, 44, 4, 0)        \
	F(runtimeCorrelationId, 48, 4, 0) \
	F(graphNodeId, 64, 8, 0)          \
	F(graphId, 72, 4, 0)              \
	F(channelID, 76, 4, 0)            \
	F(channelType, 80, 4, 0)          \
	F(copyCount, 88, 8, 6)            \
	F(sourceGraphId, 96, 4, 7)        \
	F(sourceGraphNodeId, 104, 8, 7)

#define LAYOUT_MEMCPY2_FIELDS(F) \
	F(kind, 0, 4, 0)             \
	F(copyKind, 4, 1, 0)         \
	F(srcKind, 5, 1, 0)          \
	F(dstKind, 6, 1, 0)          \
	F(flags, 7, 1, 0)            \
	F(bytes, 8, 8, 0)            \
	F(start, 16, 8, 0)           \
	F(end, 24, 8, 0)             \
	F(deviceId, 32, 4, 0)        \
	F(contextId, 36, 4, 0)       \
	F(streamId, 40, 4, 0)        \
	F(srcDeviceId, 44, 4, 0)     \
	F(srcContextId, 48, 4, 0)    \
	F(dstDeviceId, 52, 4, 0)     \
	F(dstContextId, 56, 4, 0)    \
	F(correlationId, 60, 4, 0)   \
	F(graphNodeId, 72, 8, 0)     \
	F(graphId, 80, 4, 0)         \
	F(channelID, 84, 4, 0)       \
	F(channelType, 88, 4, 0)

#define LAYOUT_MEMSET_FIELDS(F) \
	F(kind, 0, 4, 0)            \
	F(value, 4, 4, 0)           \
	F(bytes, 8, 8, 0)           \
	F(start, 16, 8, 0)          \
	F(end, 24, 8, 0)            \
	F(deviceId, 32, 4, 0)       \
	F(contextId, 36, 4, 0)      \
	F(streamId, 40, 4, 0)       \
	F(correlationId, 44, 4, 0)  \
	F(flags, 48, 2, 0)          \
	F(memoryKind, 50, 2, 0)     \
	F(graphNodeId, 64, 8, 0)    \
	F(graphId, 72, 4, 0)        \
	F(channelID, 76, 4, 0)      \
	F(channelType, 80, 4, 0)    \
	F(sourceGraphId, 88, 4, 5)  \
	F(sourceGraphNodeId, 96, 8, 5)

#define LAYOUT_SYNC_FIELDS(F)    \
	F(kind, 0, 4, 0)             \
	F(type, 4, 4, 0)             \
	F(start, 8, 8, 0)            \
	F(end, 16, 8, 0)             \
	F(correlationId, 24, 4, 0)   \
	F(contextId, 28, 4, 0)       \
	F(streamId, 32, 4, 0)        \
	F(cudaEventId, 36, 4, 0)     \
	F(cudaEventSyncId, 40, 8, 2) \
	F(returnValue, 48, 4, 2)

#define LAYOUT_API_FIELDS(F)   \
	F(kind, 0, 4, 0)           \
	F(cbid, 4, 4, 0)           \
	F(start, 8, 8, 0)          \
	F(end, 16, 8, 0)           \
	F(processId, 24, 4, 0)     \
	F(threadId, 28, 4, 0)      \
	F(correlationId, 32, 4, 0) \
	F(returnValue, 36, 4, 0)

#define LAYOUT_EXTERNAL_FIELDS(F) \
	F(kind, 0, 4, 0)              \
	F(externalKind, 4, 4, 0)      \
	F(externalId, 8, 8, 0)        \
	F(correlationId, 16, 4, 0)

#define LAYOUT_OVERHEAD_FIELDS(F) \
	F(kind, 0, 4, 0)              \
	F(overheadKind, 4, 4, 0)      \
	F(objectKind, 8, 4, 0)        \
	F(objectId, 12, 12, 0)        \
	F(start, 24, 8, 0)            \
	F(end, 32, 8, 0)              \
	F(correlationId, 40, 4, 2)    \
	F(overheadData, 48, 8, 3)

#define LAYOUT_GRAPH_FIELDS(F) \
	F(kind, 0, 4, 0)           \
	F(correlationId, 4, 4, 0)  \
	F(start, 8, 8, 0)          \
	F(end, 16, 8, 0)           \
	F(deviceId, 24, 4, 0)      \
	F(graphId, 28, 4, 0)       \
	F(contextId, 32, 4, 0)     \
	F(streamId, 36, 4, 0)      \
	F(endDeviceId, 48, 4, 2)   \
	F(endContextId, 52, 4, 2)

#define LAYOUT_CONTEXT_FIELDS(F)    \
	F(kind, 0, 4, 0)                \
	F(contextId, 4, 4, 0)           \
	F(deviceId, 8, 4, 0)            \
	F(computeApiKind, 12, 2, 0)     \
	F(nullStreamId, 14, 2, 0)       \
	F(parentContextId, 16, 4, 2)    \
	F(isGreenContext, 20, 1, 2)     \
	F(numMultiprocessors, 22, 2, 3) \
	F(cigMode, 24, 4, 3)

#define LAYOUT_DEVICE_FIELDS(F)          \
	F(kind, 0, 4, 0)                     \
	F(globalMemorySize, 16, 8, 0)        \
	F(numThreadsPerWarp, 32, 4, 0)       \
	F(numMultiprocessors, 44, 4, 0)      \
	F(computeCapabilityMajor, 104, 4, 0) \
	F(computeCapabilityMinor, 108, 4, 0) \
	F(id, 112, 4, 0)                     \
	F(uuid, 120, 16, 0)                  \
	F(name, 136, 8, 0)                   \
	F(isCudaVisible, 144, 1, 0)          \
	F(isMigEnabled, 145, 1, 0)           \
	F(isNumaNode, 176, 4, 5)             \
	F(numaId, 180, 4, 5)

#define LAYOUT_EVENT_FIELDS(F)   \
	F(kind, 0, 4, 0)             \
	F(correlationId, 4, 4, 0)    \
	F(contextId, 8, 4, 0)        \
	F(streamId, 12, 4, 0)        \
	F(eventId, 16, 4, 0)         \
	F(deviceId, 24, 4, 2)        \
	F(deviceTimestamp, 40, 8, 2) \
	F(cudaEventSyncId, 48, 8, 2)

#define LAYOUT_FAMILIES(X)                           \
	X(KERNEL, "CUpti_ActivityKernel")                \
	X(MEMCPY, "CUpti_ActivityMemcpy")                \
	X(MEMCPY2, "CUpti_ActivityMemcpyPtoP")           \
	X(MEMSET, "CUpti_ActivityMemset")                \
	X(SYNC, "CUpti_ActivitySynchronization")         \
	X(API, "CUpti_ActivityAPI")                      \
	X(EXTERNAL, "CUpti_ActivityExternalCorrelation") \
	X(OVERHEAD, "CUpti_ActivityOverhead")            \
	X(GRAPH, "CUpti_ActivityGraphTrace")             \
	X(CONTEXT, "CUpti_ActivityContext")              \
	X(DEVICE, "CUpti_ActivityDevice")                \
	X(EVENT, "CUpti_ActivityCudaEvent")

#define LAYOUT_ENUMERATORS(family, text) \
	enum { LAYOUT_##family##_FIELDS(LAYOUT_ENUMERATOR_##family) family##_FIELDS };
#define LAYOUT_ENUMERATOR_KERNEL(name, offset, width, since) KERNEL_##name,
#define LAYOUT_ENUMERATOR_MEMCPY(name, offset, width, since) MEMCPY_##name,
#define LAYOUT_ENUMERATOR_MEMCPY2(name, offset, width, since) MEMCPY2_##name,
#define LAYOUT_ENUMERATOR_MEMSET(name, offset, width, since) MEMSET_##name,
#define LAYOUT_ENUMERATOR_SYNC(name, offset, width, since) SYNC_##name,
#define LAYOUT_ENUMERATOR_API(name, offset, width, since) API_##name,
#define LAYOUT_ENUMERATOR_EXTERNAL(name, offset, width, since) EXTERNAL_##name,
#define LAYOUT_ENUMERATOR_OVERHEAD(name, offset, width, since) OVERHEAD_##name,
#define LAYOUT_ENUMERATOR_GRAPH(name, offset, width, since) GRAPH_##name,
#define LAYOUT_ENUMERATOR_CONTEXT(name, offset, width, since) CONTEXT_##name,
#define LAYOUT_ENUMERATOR_DEVICE(name, offset, width, since) DEVICE_##name,
#define LAYOUT_ENUMERATOR_EVENT(name, offset, width, since) EVENT_##name,
LAYOUT_FAMILIES(LAYOUT_ENUMERATORS)

#endif
