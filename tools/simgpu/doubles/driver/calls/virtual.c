/* Virtual memory management, and the memory pools behind stream-ordered allocation. */
#include "doubles/driver/calls/entry.h"
#include "doubles/driver/memory/memory.h"
#include "doubles/driver/memory/pool.h"
#include "doubles/driver/memory/virtual.h"

#include <string.h>

struct location { /* CUmemLocation; type 1: a device */
	int type, id;
};

struct properties { /* CUmemAllocationProp */
	int type, handle_types;
	struct location location;
	void *windows;
	uint8_t flags[8];
};
_Static_assert(sizeof(struct properties) == 32, "CUmemAllocationProp");

#define SIMPLE_ENTRY(name_, cbid_, call_, ...)                        \
	ENTRY(name_, __VA_ARGS__)                                         \
	{                                                                 \
		struct sim_observed call;                                     \
		int result = observe_enter(&call, cbid_, #name_, NULL, NULL); \
		if (!result)                                                  \
			result = call_;                                           \
		return observe_leave(&call, result);                          \
	}

/* Where the caller would like to have them does not bind. */
static int reserve(uint64_t *address, size_t bytes, size_t alignment, uint64_t hint)
{
	(void)hint;
	return virtual_reserve(bytes, alignment, (void **)address);
}

static int create(struct physical **handle, size_t bytes, const struct properties *properties)
{
	if (!handle || !properties || properties->type != 1 || properties->location.type != 1 ||
		!context_of(properties->location.id))
		return CUDA_INVALID_VALUE;
	return virtual_create(properties->location.id, bytes, handle);
}

/* Access is everybody's: that there are no addresses is all that can be wrong. */
static int set_access(const void *address, const void *descriptors)
{
	return descriptors && virtual_range(address, NULL, NULL) ? CUDA_OK : CUDA_INVALID_VALUE;
}

static int wait_and_unmap(uint64_t address, size_t bytes)
{
	int device = virtual_device((void *)address);
	if (device >= 0) {
		core_lock();
		context_wait(context_of(device), INT64_MAX);
		core_unlock();
	}
	return virtual_unmap((void *)address, bytes);
}

static int tell_properties(struct properties *out, const struct physical *physical)
{
	int device = virtual_home(physical);
	if (!out || device < 0)
		return CUDA_INVALID_VALUE;
	memset(out, 0, sizeof(*out));
	out->type = 1;
	out->location = (struct location){1, device};
	return CUDA_OK;
}

SIMPLE_ENTRY(cuMemAddressReserve, 547, reserve(address, bytes, alignment, hint | flags),
			 uint64_t *address, size_t bytes, size_t alignment, uint64_t hint,
			 unsigned long long flags)
SIMPLE_ENTRY(cuMemAddressFree, 548, virtual_unreserve((void *)address, bytes), uint64_t address,
			 size_t bytes)
SIMPLE_ENTRY(cuMemCreate, 549, flags ? CUDA_INVALID_VALUE : create(handle, bytes, properties),
			 struct physical **handle, size_t bytes, const struct properties *properties,
			 unsigned long long flags)
SIMPLE_ENTRY(cuMemRelease, 550, virtual_release(handle), struct physical *handle)
SIMPLE_ENTRY(cuMemMap, 551,
			 offset || flags ? CUDA_INVALID_VALUE : virtual_map((void *)address, bytes, handle),
			 uint64_t address, size_t bytes, size_t offset, struct physical *handle,
			 unsigned long long flags)
SIMPLE_ENTRY(cuMemUnmap, 552, wait_and_unmap(address, bytes), uint64_t address, size_t bytes)
SIMPLE_ENTRY(cuMemSetAccess, 553,
			 bytes &&n ? set_access((void *)address, descriptors) : CUDA_INVALID_VALUE,
			 uint64_t address, size_t bytes, const void *descriptors, size_t n)

ENTRY(cuMemGetAllocationGranularity, size_t *bytes, const struct properties *properties, int option)
{
	(void)properties, (void)option;
	*bytes = VIRTUAL_GRAIN;
	return core_state();
}

ENTRY(cuMemRetainAllocationHandle, struct physical **handle, void *address)
{
	int failed = core_state();
	return failed ? failed : virtual_retain(address, handle);
}

ENTRY(cuMemGetAllocationPropertiesFromHandle, struct properties *out, struct physical *handle)
{
	int failed = core_state();
	return failed ? failed : tell_properties(out, handle);
}

/* ---- pools ---- */

static int default_pool(struct pool **pool, int device)
{
	*pool = pool_of(device);
	return *pool ? CUDA_OK : CUDA_INVALID_DEVICE;
}

/* Nothing is kept beyond what is in use. */
static int pool_trim(const struct pool *pool, size_t keep)
{
	(void)keep;
	return pool_valid(pool) ? CUDA_OK : CUDA_INVALID_VALUE;
}

SIMPLE_ENTRY(cuDeviceGetDefaultMemPool, 606, default_pool(pool, device), struct pool **pool,
			 int device)
SIMPLE_ENTRY(cuDeviceGetMemPool, 610, default_pool(pool, device), struct pool **pool, int device)
SIMPLE_ENTRY(cuMemPoolSetAttribute, 603, pool_set(pool, attribute, value), struct pool *pool,
			 int attribute, const void *value)
SIMPLE_ENTRY(cuMemPoolGetAttribute, 604, pool_get(pool, attribute, value), struct pool *pool,
			 int attribute, void *value)
SIMPLE_ENTRY(cuMemPoolTrimTo, 602, pool_trim(pool, keep), struct pool *pool, size_t keep)
SIMPLE_ENTRY(cuMemPoolSetAccess, 605,
			 pool_valid(pool) && descriptors && n ? CUDA_OK : CUDA_INVALID_VALUE, struct pool *pool,
			 const void *descriptors, size_t n)
