#include "doubles/driver/memory/memory.h"

#include "doubles/cuda_abi.h"
#include "doubles/driver/core/settings.h"
#include "doubles/driver/memory/budget.h"
#include "doubles/driver/memory/virtual.h"
#include "engine/room.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#define GRAIN ((size_t)512)
#define BIG ((size_t)256 << 10)

struct block {
	uint8_t *start;
	size_t bytes;
	bool managed, owned; /* pinned: we allocated it */
};

struct blocks { /* by address */
	struct block *at;
	size_t n;
	uint32_t room;
};

struct window {
	uint8_t *start;
	size_t bytes;
	struct blocks blocks;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct window windows[MAX_DEVICES];
static struct blocks pinned;

/* The first block that ends after the address. */
static size_t find(const struct blocks *blocks, const void *address)
{
	size_t low = 0, high = blocks->n;
	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct block *block = &blocks->at[middle];
		if (block->start + block->bytes <= (const uint8_t *)address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct block *around(const struct blocks *blocks, const void *address)
{
	size_t i = find(blocks, address);
	bool inside = i < blocks->n && blocks->at[i].start <= (const uint8_t *)address;
	return inside ? &blocks->at[i] : NULL;
}

static void insert(struct blocks *blocks, size_t i, struct block block)
{
	blocks->at = room_for(blocks->at, blocks->n, &blocks->room, 256, sizeof(*blocks->at));
	memmove(&blocks->at[i + 1], &blocks->at[i], (blocks->n - i) * sizeof(*blocks->at));
	blocks->at[i] = block;
	blocks->n++;
}

static void take_out(struct blocks *blocks, const struct block *block)
{
	size_t i = (size_t)(block - blocks->at);
	memmove(&blocks->at[i], &blocks->at[i + 1], (blocks->n - i - 1) * sizeof(*blocks->at));
	blocks->n--;
}

/* ---- device memory ---- */

static bool window_open(struct window *window)
{
	if (window->start)
		return true;
	size_t bytes = settings()->memory_bytes;
	void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (start == MAP_FAILED)
		return false;
	madvise(start, bytes, MADV_DONTDUMP);
	madvise(start, bytes, MADV_DONTFORK); /* a forked child has no use for it */
	__atomic_store_n(&window->bytes, bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&window->start, start, __ATOMIC_RELEASE);
	return true;
}

/* After the last block while there is room, else in the first gap that is wide enough. */
static bool place(const struct window *window, size_t bytes, size_t *index, uint8_t **start)
{
	const struct blocks *blocks = &window->blocks;
	uint8_t *end = window->start + window->bytes, *from = window->start;
	if (blocks->n)
		from = blocks->at[blocks->n - 1].start + blocks->at[blocks->n - 1].bytes;
	*index = blocks->n;
	*start = from;
	if ((size_t)(end - from) >= bytes)
		return true;
	from = window->start;
	for (size_t i = 0; i < blocks->n; i++) {
		*index = i;
		*start = from;
		if ((size_t)(blocks->at[i].start - from) >= bytes)
			return true;
		from = blocks->at[i].start + blocks->at[i].bytes;
	}
	return false;
}

int memory_allocate(int device, size_t bytes, bool managed, void **address)
{
	struct window *window = &windows[device];
	int result = CUDA_OUT_OF_MEMORY;
	size_t i;
	uint8_t *start;
	if (!bytes)
		return CUDA_INVALID_VALUE;
	if (bytes > settings()->memory_bytes)
		return CUDA_OUT_OF_MEMORY;
	bytes = (bytes + GRAIN - 1) & ~(GRAIN - 1);
	if (!budget_take(device, bytes))
		return CUDA_OUT_OF_MEMORY;
	pthread_mutex_lock(&lock);
	if (window_open(window) && place(window, bytes, &i, &start)) {
		insert(&window->blocks, i, (struct block){start, bytes, managed, true});
		*address = start;
		result = CUDA_OK;
	}
	pthread_mutex_unlock(&lock);
	if (result)
		budget_give(device, bytes);
	return result;
}

int memory_free(void *address)
{
	int device = memory_device(address);
	if (device < 0)
		return -1;
	struct window *window = &windows[device];
	pthread_mutex_lock(&lock);
	struct block *block = around(&window->blocks, address);
	if (block && block->start == address) {
		budget_give(device, block->bytes);
		memory_zero(block->start, block->bytes);
		take_out(&window->blocks, block);
	} else {
		device = -1;
	}
	pthread_mutex_unlock(&lock);
	return device;
}

void memory_reset(int device)
{
	struct window *window = &windows[device];
	pthread_mutex_lock(&lock);
	if (window->start)
		madvise(window->start, window->bytes, MADV_DONTNEED);
	window->blocks.n = 0;
	budget_reset(device);
	pthread_mutex_unlock(&lock);
}

void memory_info(int device, size_t *free_bytes, size_t *total_bytes)
{
	*total_bytes = settings()->memory_bytes;
	*free_bytes = budget_free(device);
}

bool memory_range(const void *address, void **start, size_t *bytes)
{
	int device = memory_device(address);
	if (device < 0)
		return false;
	pthread_mutex_lock(&lock);
	const struct block *block = around(&windows[device].blocks, address);
	if (block && start)
		*start = block->start;
	if (block && bytes)
		*bytes = block->bytes;
	pthread_mutex_unlock(&lock);
	return block || virtual_range(address, start, bytes);
}

int memory_device(const void *address)
{
	for (int i = 0; i < settings()->devices; i++) {
		const uint8_t *start = __atomic_load_n(&windows[i].start, __ATOMIC_ACQUIRE);
		if (start && (const uint8_t *)address >= start &&
			(size_t)((const uint8_t *)address - start) < windows[i].bytes)
			return i;
	}
	return virtual_device(address);
}

void memory_zero(void *target, size_t bytes)
{
	uintptr_t from = (uintptr_t)target, page = 4096;
	uintptr_t first = (from + page - 1) & ~(page - 1), last = (from + bytes) & ~(page - 1);
	if (bytes < BIG || memory_device(target) < 0) {
		memset(target, 0, bytes);
		return;
	}
	memset(target, 0, first - from);
	madvise((void *)first, last - first, MADV_DONTNEED);
	memset((void *)last, 0, from + bytes - last);
}

/* ---- pinned host memory ---- */

static int pin(void *address, size_t bytes, bool owned)
{
	int result = CUDA_OK;
	pthread_mutex_lock(&lock);
	size_t i = find(&pinned, address);
	if (i < pinned.n && pinned.at[i].start < (uint8_t *)address + bytes)
		result = CUDA_ALREADY_REGISTERED;
	else
		insert(&pinned, i, (struct block){address, bytes, false, owned});
	pthread_mutex_unlock(&lock);
	return result;
}

/* The block's bytes, 0: none begins there. */
static size_t unpin(void *address, bool owned)
{
	size_t bytes = 0;
	pthread_mutex_lock(&lock);
	struct block *block = around(&pinned, address);
	if (block && block->start == address && block->owned == owned) {
		bytes = block->bytes;
		take_out(&pinned, block);
	}
	pthread_mutex_unlock(&lock);
	return bytes;
}

int memory_host_allocate(size_t bytes, void **address)
{
	if (!bytes)
		return CUDA_INVALID_VALUE;
	bytes = (bytes + 4095) & ~(size_t)4095;
	void *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (start == MAP_FAILED)
		return CUDA_OUT_OF_MEMORY;
	*address = start;
	return pin(start, bytes, true);
}

int memory_host_free(void *address)
{
	size_t bytes = unpin(address, true);
	if (!bytes)
		return CUDA_INVALID_VALUE;
	munmap(address, bytes);
	return CUDA_OK;
}

int memory_host_register(void *address, size_t bytes)
{
	return address && bytes ? pin(address, bytes, false) : CUDA_INVALID_VALUE;
}

int memory_host_unregister(void *address)
{
	return unpin(address, false) ? CUDA_OK : CUDA_NOT_REGISTERED;
}

bool memory_pinned(const void *address)
{
	pthread_mutex_lock(&lock);
	bool is = around(&pinned, address);
	pthread_mutex_unlock(&lock);
	return is;
}

struct sim_pointer simgpu_pointer(const void *address)
{
	struct sim_pointer pointer = {.device = memory_device(address)};
	const struct blocks *blocks = pointer.device < 0 ? &pinned : &windows[pointer.device].blocks;
	pthread_mutex_lock(&lock);
	const struct block *block = around(blocks, address);
	if (block) {
		pointer.start = block->start;
		pointer.bytes = block->bytes;
		pointer.type = pointer.device < 0 ? MEMORY_HOST : MEMORY_DEVICE;
		if (block->managed)
			pointer.type = MEMORY_MANAGED;
	}
	pthread_mutex_unlock(&lock);
	if (!block && virtual_range(address, &pointer.start, &pointer.bytes))
		pointer.type = MEMORY_DEVICE;
	return pointer;
}
