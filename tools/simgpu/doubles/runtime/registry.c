/* What nvcc's stubs register before main: host functions and the kernels they stand for, device
 * variables. Read without a lock: a slot's key is written last, a grown table replaces the old one,
 * which is kept for those who still look. */
#include "doubles/runtime/runtime.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct slot {
	const void *key; /* the host's address */
	void *kernel;    /* or the variable's device memory */
	const char *name;
	size_t bytes;
};

struct table {
	size_t room, n;
	struct slot slots[];
};

static struct table *functions, *variables;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t hash(const void *key)
{
	uint64_t h = (uintptr_t)key * 0x9e3779b97f4a7c15u;
	return (size_t)(h >> 20);
}

static struct slot *slot_of(struct table *table, const void *key)
{
	for (size_t i = hash(key);; i++) {
		struct slot *slot = &table->slots[i & (table->room - 1)];
		const void *there = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
		if (!there || there == key)
			return slot;
	}
}

static struct slot *look_up(struct table **where, const void *key)
{
	struct table *table = __atomic_load_n(where, __ATOMIC_ACQUIRE);
	struct slot *slot = table && key ? slot_of(table, key) : NULL;
	return slot && slot->key ? slot : NULL;
}

static void put(struct table *table, const struct slot *entry)
{
	struct slot *slot = slot_of(table, entry->key);
	table->n += !slot->key;
	slot->kernel = entry->kernel;
	slot->name = entry->name;
	slot->bytes = entry->bytes;
	__atomic_store_n(&slot->key, entry->key, __ATOMIC_RELEASE);
}

static struct table *grow(const struct table *old)
{
	size_t room = old ? 4 * old->room : 4096;
	struct table *table = calloc(1, sizeof(*table) + room * sizeof(struct slot));
	if (!table)
		abort();
	table->room = room;
	for (size_t i = 0; old && i < old->room; i++)
		if (old->slots[i].key)
			put(table, &old->slots[i]);
	return table;
}

static void add(struct table **where, const struct slot *entry)
{
	pthread_mutex_lock(&lock);
	struct table *table = *where;
	if (!table || 2 * (table->n + 1) > table->room)
		table = grow(table);
	put(table, entry);
	__atomic_store_n(where, table, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
}

void *runtime_kernel(const void *function)
{
	struct slot *slot = look_up(&functions, function);
	if (slot)
		return slot->kernel;
	return simgpu_kernel_name(function) ? (void *)function : NULL;
}

/* ---- nvcc's stubs ---- */

API_OF(void **, __cudaRegisterFatBinary, void *image)
{
	void **handle = malloc(sizeof(*handle));
	if (!handle)
		abort();
	*handle = image;
	return handle;
}

API_OF(void, __cudaRegisterFatBinaryEnd, void **handle)
{
	(void)handle;
}

/* Kernels stay: somebody may still hold one. */
API_OF(void, __cudaUnregisterFatBinary, void **handle)
{
	free(handle);
}

API_OF(void, __cudaRegisterFunction, void **handle, const char *host, char *device_name,
	   const char *name, int threads, void *thread_id, void *block_id, void *block, void *grid,
	   int *warp)
{
	(void)handle, (void)device_name, (void)threads, (void)thread_id, (void)block_id, (void)block;
	(void)grid, (void)warp;
	struct slot slot = {host, simgpu_kernel(name), name, 0};
	add(&functions, &slot);
}

API_OF(void, __cudaRegisterVar, void **handle, char *host, char *device_address, const char *name,
	   int external, size_t bytes, int constant, int global)
{
	(void)handle, (void)device_address, (void)external, (void)constant, (void)global;
	struct slot slot = {host, NULL, name, bytes};
	add(&variables, &slot);
}

API_OF(void, __cudaRegisterManagedVar, void **handle, void **host, char *device_address,
	   const char *name, int external, size_t bytes, int constant, int global)
{
	(void)handle, (void)device_address, (void)external, (void)constant, (void)global;
	struct slot slot = {host, NULL, name, bytes};
	add(&variables, &slot);
}

API_OF(char, __cudaInitModule, void **handle)
{
	(void)handle;
	return 1;
}

static int symbol_address(const void *symbol, void **address, size_t *bytes)
{
	struct slot *slot = look_up(&variables, symbol);
	if (!slot)
		return 13; /* cudaErrorInvalidSymbol */
	pthread_mutex_lock(&lock);
	if (!slot->kernel)
		slot->kernel = simgpu_allocate(slot->bytes ? slot->bytes : 1);
	*address = slot->kernel;
	pthread_mutex_unlock(&lock);
	*bytes = slot->bytes;
	return *address ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

API(cudaGetSymbolAddress, void **address, const void *symbol)
{
	size_t bytes;
	struct sim_observed call;
	int result = runtime_enter(&call, 147, "cudaGetSymbolAddress", NULL);
	if (!result)
		result = symbol_address(symbol, address, &bytes);
	return runtime_leave(&call, result);
}

API(cudaMemcpyToSymbol, const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
	void *to;
	size_t room;
	struct sim_observed call;
	(void)kind;
	int result = runtime_enter(&call, 39, "cudaMemcpyToSymbol", NULL);
	if (!result)
		result = symbol_address(symbol, &to, &room);
	if (!result && (offset > room || bytes > room - offset))
		result = CUDA_INVALID_VALUE;
	if (!result)
		result = driver(false)->cuMemcpy((uintptr_t)to + offset, (uintptr_t)from, bytes);
	return runtime_leave(&call, result);
}

API(cudaGetSymbolSize, size_t *bytes, const void *symbol)
{
	struct slot *slot = look_up(&variables, symbol);
	if (!slot)
		return runtime_result(13);
	*bytes = slot->bytes;
	return CUDA_OK;
}
