/* The exported calls beside communicators and data: versions, memory, registration, operators. */
#include <stdlib.h>
#include <string.h>

#include "doubles/nccl/comm.h"
#include "doubles/nccl/context.h"
#include "doubles/nccl/exported.h"
#include "doubles/nccl/group.h"
#include "doubles/nccl/nccl.h"
#include "doubles/nccl/reduce.h"
#include "doubles/observe.h"

EXPORTED ncclResult_t pncclGetVersion(int *version)
{
	if (!version)
		return comm_refuse(ncclInvalidArgument, "the version is NULL");
	*version = NCCL_VERSION_CODE;
	return ncclSuccess;
}
WEAK_NAME(ncclGetVersion);

EXPORTED const char *pncclGetErrorString(ncclResult_t result)
{
	static const char *const texts[] = {"no error",
										"unhandled cuda error",
										"unhandled system error",
										"internal error",
										"invalid argument",
										"invalid usage",
										"remote process exited or there was a network error",
										"NCCL operation in progress",
										"timeout"};

	return (unsigned)result < sizeof texts / sizeof *texts ? texts[result] : "unknown result code";
}
WEAK_NAME(ncclGetErrorString);

EXPORTED void pncclResetDebugInit(void)
{
}
WEAK_NAME(ncclResetDebugInit);

EXPORTED ncclResult_t pncclMemAlloc(void **ptr, size_t size)
{
	if (!ptr)
		return comm_refuse(ncclInvalidArgument, "the pointer is NULL");
	if (simgpu_init() || context_alloc(ptr, size))
		return comm_refuse(ncclUnhandledCudaError, "cannot allocate %zu bytes", size);
	return ncclSuccess;
}
WEAK_NAME(ncclMemAlloc);

EXPORTED ncclResult_t pncclMemFree(void *ptr)
{
	if (ptr && context_free(ptr))
		return comm_refuse(ncclUnhandledCudaError, "not allocated");
	return ncclSuccess;
}
WEAK_NAME(ncclMemFree);

struct ncclWindow { /* what a registration leaves behind: only its handle matters */
	void *buffer;
	size_t size;
};

static ncclResult_t remember(const struct ncclComm *comm, void *buffer, size_t size, void **handle)
{
	struct ncclWindow *window;

	if (!comm || !handle)
		return comm_refuse(ncclInvalidArgument, "the communicator is NULL");
	window = malloc(sizeof *window);
	if (!window)
		return comm_refuse(ncclSystemError, "out of memory");
	*window = (struct ncclWindow){.buffer = buffer, .size = size};
	*handle = window;
	return ncclSuccess;
}

EXPORTED ncclResult_t pncclCommRegister(const ncclComm_t comm, void *buffer, size_t size,
										void **handle)
{
	return remember(comm, buffer, size, handle);
}
WEAK_NAME(ncclCommRegister);

EXPORTED ncclResult_t pncclCommDeregister(const ncclComm_t comm, void *handle)
{
	(void)comm;
	free(handle);
	return ncclSuccess;
}
WEAK_NAME(ncclCommDeregister);

EXPORTED ncclResult_t pncclCommWindowRegister(ncclComm_t comm, void *buffer, size_t size,
											  ncclWindow_t *window, int flags)
{
	void *handle = NULL;
	ncclResult_t result = remember(comm, buffer, size, &handle);

	(void)flags;
	if (result == ncclSuccess)
		*window = handle;
	return result;
}
WEAK_NAME(ncclCommWindowRegister);

EXPORTED ncclResult_t pncclCommWindowDeregister(ncclComm_t comm, ncclWindow_t window)
{
	(void)comm;
	free(window);
	return ncclSuccess;
}
WEAK_NAME(ncclCommWindowDeregister);

EXPORTED ncclResult_t pncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type,
												ncclScalarResidence_t residence, ncclComm_t comm)
{
	if (!op || !scalar || !comm || !reduce_type_bytes(type) || !reduce_can(type))
		return comm_refuse(ncclInvalidArgument, "op, scalar or communicator is NULL");
	for (int i = 0; i < COMM_OPS; i++) {
		struct comm_op *slot = &comm->op[i];

		if (slot->used)
			continue;
		*slot = (struct comm_op){.used = true, .type = type};
		if (residence == ncclScalarDevice)
			slot->factor_at = scalar; /* read when the kernel runs */
		else
			memcpy(&slot->factor, scalar, reduce_type_bytes(type));
		*op = (ncclRedOp_t)(COMM_FIRST_OP + i);
		return ncclSuccess;
	}
	return comm_refuse(ncclInvalidUsage, "more than %d operators", COMM_OPS);
}
WEAK_NAME(ncclRedOpCreatePreMulSum);

EXPORTED ncclResult_t pncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
	int i = (int)op - COMM_FIRST_OP;

	if (!comm || i < 0 || i >= COMM_OPS || !comm->op[i].used)
		return comm_refuse(ncclInvalidArgument, "no such op");
	comm->op[i].used = false;
	return ncclSuccess;
}
WEAK_NAME(ncclRedOpDestroy);
