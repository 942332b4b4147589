/* NCCL's public interface as far as the double implements it, declared from its documentation.
 * Every function exists twice, as in the real library: a weak ncclX and a strong pncclX. */
#ifndef SIMGPU_DOUBLES_NCCL_NCCL_H
#define SIMGPU_DOUBLES_NCCL_NCCL_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ncclComm *ncclComm_t;
typedef struct ncclWindow *ncclWindow_t;
typedef void *ncclStream_t; /* cudaStream_t */

typedef struct {
	char internal[128];
} ncclUniqueId;

typedef enum {
	ncclSuccess = 0,
	ncclUnhandledCudaError = 1,
	ncclSystemError = 2,
	ncclInternalError = 3,
	ncclInvalidArgument = 4,
	ncclInvalidUsage = 5,
	ncclRemoteError = 6,
	ncclInProgress = 7,
	ncclTimeout = 8
} ncclResult_t;

typedef enum { ncclSum = 0, ncclProd = 1, ncclMax = 2, ncclMin = 3, ncclAvg = 4 } ncclRedOp_t;

typedef enum {
	ncclInt8 = 0,
	ncclUint8 = 1,
	ncclInt32 = 2,
	ncclUint32 = 3,
	ncclInt64 = 4,
	ncclUint64 = 5,
	ncclFloat16 = 6,
	ncclFloat32 = 7,
	ncclFloat64 = 8,
	ncclBfloat16 = 9,
	ncclFloat8e4m3 = 10,
	ncclFloat8e5m2 = 11,
	ncclNumTypes = 12
} ncclDataType_t;

typedef enum { ncclScalarDevice = 0, ncclScalarHostImmediate = 1 } ncclScalarResidence_t;

#define NCCL_SPLIT_NOCOLOR -1
#define NCCL_CONFIG_UNDEF_INT INT_MIN
#define NCCL_API_MAGIC 0xcafebeefu
#define NCCL_VERSION_CODE 22907

/* Only the head, which every release shares: the double reads `blocking` and nothing beyond. */
typedef struct {
	size_t size;
	unsigned magic;
	unsigned version;
	int blocking;
} ncclConfig_t;

typedef struct {
	size_t size;
	unsigned magic;
	unsigned version;
	float estimatedTime;
} ncclSimInfo_t;

#define SIM_NCCL(name, ...)            \
	ncclResult_t p##name(__VA_ARGS__); \
	ncclResult_t name(__VA_ARGS__)

SIM_NCCL(ncclGetVersion, int *version);
SIM_NCCL(ncclGetUniqueId, ncclUniqueId *id);
SIM_NCCL(ncclMemAlloc, void **ptr, size_t size);
SIM_NCCL(ncclMemFree, void *ptr);
SIM_NCCL(ncclCommInitRank, ncclComm_t *comm, int nranks, ncclUniqueId id, int rank);
SIM_NCCL(ncclCommInitAll, ncclComm_t *comms, int ndev, const int *devlist);
SIM_NCCL(ncclCommInitRankConfig, ncclComm_t *comm, int nranks, ncclUniqueId id, int rank,
		 ncclConfig_t *config);
SIM_NCCL(ncclCommInitRankScalable, ncclComm_t *comm, int nranks, int rank, int nids,
		 ncclUniqueId *ids, ncclConfig_t *config);
SIM_NCCL(ncclCommSplit, ncclComm_t comm, int color, int key, ncclComm_t *newcomm,
		 ncclConfig_t *config);
SIM_NCCL(ncclCommShrink, ncclComm_t comm, int *exclude, int nexclude, ncclComm_t *newcomm,
		 ncclConfig_t *config, int flags);
SIM_NCCL(ncclCommFinalize, ncclComm_t comm);
SIM_NCCL(ncclCommDestroy, ncclComm_t comm);
SIM_NCCL(ncclCommAbort, ncclComm_t comm);
SIM_NCCL(ncclCommGetAsyncError, ncclComm_t comm, ncclResult_t *error);
SIM_NCCL(ncclCommCount, const ncclComm_t comm, int *count);
SIM_NCCL(ncclCommCuDevice, const ncclComm_t comm, int *device);
SIM_NCCL(ncclCommUserRank, const ncclComm_t comm, int *rank);
SIM_NCCL(ncclCommRegister, const ncclComm_t comm, void *buffer, size_t size, void **handle);
SIM_NCCL(ncclCommDeregister, const ncclComm_t comm, void *handle);
SIM_NCCL(ncclCommWindowRegister, ncclComm_t comm, void *buffer, size_t size, ncclWindow_t *window,
		 int flags);
SIM_NCCL(ncclCommWindowDeregister, ncclComm_t comm, ncclWindow_t window);
SIM_NCCL(ncclRedOpCreatePreMulSum, ncclRedOp_t *op, void *scalar, ncclDataType_t type,
		 ncclScalarResidence_t residence, ncclComm_t comm);
SIM_NCCL(ncclRedOpDestroy, ncclRedOp_t op, ncclComm_t comm);

SIM_NCCL(ncclAllReduce, const void *send, void *recv, size_t count, ncclDataType_t type,
		 ncclRedOp_t op, ncclComm_t comm, ncclStream_t stream);
SIM_NCCL(ncclReduce, const void *send, void *recv, size_t count, ncclDataType_t type,
		 ncclRedOp_t op, int root, ncclComm_t comm, ncclStream_t stream);
SIM_NCCL(ncclBroadcast, const void *send, void *recv, size_t count, ncclDataType_t type, int root,
		 ncclComm_t comm, ncclStream_t stream);
SIM_NCCL(ncclBcast, void *buffer, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
		 ncclStream_t stream);
SIM_NCCL(ncclReduceScatter, const void *send, void *recv, size_t count, ncclDataType_t type,
		 ncclRedOp_t op, ncclComm_t comm, ncclStream_t stream);
SIM_NCCL(ncclAllGather, const void *send, void *recv, size_t count, ncclDataType_t type,
		 ncclComm_t comm, ncclStream_t stream);
SIM_NCCL(ncclAlltoAll, const void *send, void *recv, size_t count, ncclDataType_t type,
		 ncclComm_t comm, ncclStream_t stream);
SIM_NCCL(ncclGather, const void *send, void *recv, size_t count, ncclDataType_t type, int root,
		 ncclComm_t comm, ncclStream_t stream);
SIM_NCCL(ncclScatter, const void *send, void *recv, size_t count, ncclDataType_t type, int root,
		 ncclComm_t comm, ncclStream_t stream);
SIM_NCCL(ncclSend, const void *send, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
		 ncclStream_t stream);
SIM_NCCL(ncclRecv, void *recv, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
		 ncclStream_t stream);
SIM_NCCL(ncclGroupStart, void);
SIM_NCCL(ncclGroupEnd, void);
SIM_NCCL(ncclGroupSimulateEnd, ncclSimInfo_t *info);

const char *ncclGetErrorString(ncclResult_t result);
const char *pncclGetErrorString(ncclResult_t result);
const char *ncclGetLastError(ncclComm_t comm);
const char *pncclGetLastError(ncclComm_t comm);
void ncclResetDebugInit(void);
void pncclResetDebugInit(void);

#endif
