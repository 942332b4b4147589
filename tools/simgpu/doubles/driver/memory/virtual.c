#include "doubles/driver/memory/virtual.h"

#include "doubles/driver/core/core.h"
#include "doubles/driver/memory/budget.h"
#include "engine/room.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PIECE_MAGIC 0x50494543u
#define RESERVATIONS 1024

struct physical {
	uint32_t magic;
	int device;
	size_t bytes;
	unsigned refs; /* handles and mappings */
};

struct mapping {
	uint8_t *start;
	size_t bytes;
	struct physical *physical;
};

/* Read without the lock: start is stored last, and first when it ends. */
struct reservation {
	uint8_t *start;
	size_t bytes;
	int device;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct reservation reservations[RESERVATIONS];
static unsigned n_reservations; /* places used so far */
static struct mapping *mappings;
static size_t n_mappings;
static uint32_t room;

/* ---- addresses ---- */

static bool inside(const struct reservation *r, const void *address, size_t bytes)
{
	const uint8_t *start = __atomic_load_n(&r->start, __ATOMIC_ACQUIRE);
	const uint8_t *from = address;
	return start && from >= start && (size_t)(from - start) < r->bytes &&
		   r->bytes - (size_t)(from - start) >= bytes;
}

static struct reservation *around(const void *address, size_t bytes)
{
	unsigned n = __atomic_load_n(&n_reservations, __ATOMIC_ACQUIRE);
	for (unsigned i = 0; i < n; i++)
		if (inside(&reservations[i], address, bytes))
			return &reservations[i];
	return NULL;
}

static struct reservation *free_place(void)
{
	for (unsigned i = 0; i < n_reservations; i++)
		if (!reservations[i].start)
			return &reservations[i];
	return n_reservations < RESERVATIONS ? &reservations[n_reservations] : NULL;
}

/* `bytes` of addresses that begin at a multiple of `alignment`. */
static uint8_t *addresses(size_t bytes, size_t alignment)
{
	size_t whole = bytes + alignment;
	uint8_t *start =
		mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (start == MAP_FAILED)
		return NULL;
	uint8_t *from = start + (alignment - (uintptr_t)start % alignment) % alignment;
	if (from > start)
		munmap(start, (size_t)(from - start));
	munmap(from + bytes, (size_t)(start + whole - from - bytes));
	madvise(from, bytes, MADV_DONTDUMP);
	madvise(from, bytes, MADV_DONTFORK);
	return from;
}

int virtual_reserve(size_t bytes, size_t alignment, void **address)
{
	if (!bytes || bytes % VIRTUAL_GRAIN || (alignment & (alignment - 1)))
		return CUDA_INVALID_VALUE;
	if (alignment < VIRTUAL_GRAIN)
		alignment = VIRTUAL_GRAIN;
	pthread_mutex_lock(&lock);
	struct reservation *place = free_place();
	uint8_t *start = place ? addresses(bytes, alignment) : NULL;
	if (start) {
		place->bytes = bytes;
		place->device = -1;
		__atomic_store_n(&place->start, start, __ATOMIC_RELEASE);
		if (place == &reservations[n_reservations])
			__atomic_store_n(&n_reservations, n_reservations + 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	*address = start;
	return start ? CUDA_OK : CUDA_OUT_OF_MEMORY;
}

static bool anything_mapped(const uint8_t *start, size_t bytes)
{
	for (size_t i = 0; i < n_mappings; i++)
		if (mappings[i].start < start + bytes && start < mappings[i].start + mappings[i].bytes)
			return true;
	return false;
}

int virtual_unreserve(void *address, size_t bytes)
{
	int result = CUDA_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	struct reservation *place = around(address, bytes);
	if (place && place->start == address && place->bytes == bytes &&
		!anything_mapped(address, bytes)) {
		__atomic_store_n(&place->start, NULL, __ATOMIC_RELEASE);
		munmap(address, bytes);
		result = CUDA_OK;
	}
	pthread_mutex_unlock(&lock);
	return result;
}

int virtual_device(const void *address)
{
	const struct reservation *place = around(address, 1);
	return place ? __atomic_load_n(&place->device, __ATOMIC_RELAXED) : -1;
}

/* ---- memory ---- */

static bool is_piece(const struct physical *physical)
{
	return physical && physical->magic == PIECE_MAGIC;
}

int virtual_home(const struct physical *physical)
{
	return is_piece(physical) ? physical->device : -1;
}

int virtual_create(int device, size_t bytes, struct physical **physical)
{
	if (!bytes || bytes % VIRTUAL_GRAIN)
		return CUDA_INVALID_VALUE;
	if (!budget_take(device, bytes))
		return CUDA_OUT_OF_MEMORY;
	struct physical *piece = must(calloc(1, sizeof(*piece)));
	*piece = (struct physical){PIECE_MAGIC, device, bytes, 1};
	*physical = piece;
	return CUDA_OK;
}

static void drop(struct physical *piece)
{
	if (--piece->refs)
		return;
	budget_give(piece->device, piece->bytes);
	piece->magic = 0;
	free(piece);
}

int virtual_release(struct physical *physical)
{
	if (!is_piece(physical))
		return CUDA_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	drop(physical);
	pthread_mutex_unlock(&lock);
	return CUDA_OK;
}

static int map(uint8_t *start, size_t bytes, struct physical *physical)
{
	struct reservation *place = around(start, bytes);
	if (!place || (uintptr_t)start % VIRTUAL_GRAIN || anything_mapped(start, bytes))
		return CUDA_INVALID_VALUE;
	if (mprotect(start, bytes, PROT_READ | PROT_WRITE))
		return CUDA_OUT_OF_MEMORY;
	mappings = room_for(mappings, n_mappings, &room, 64, sizeof(*mappings));
	mappings[n_mappings++] = (struct mapping){start, bytes, physical};
	physical->refs++;
	__atomic_store_n(&place->device, physical->device, __ATOMIC_RELAXED);
	return CUDA_OK;
}

int virtual_map(void *address, size_t bytes, struct physical *physical)
{
	if (!is_piece(physical) || bytes != physical->bytes)
		return CUDA_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	int result = map(address, bytes, physical);
	pthread_mutex_unlock(&lock);
	return result;
}

/* Whole mappings only. */
int virtual_unmap(void *address, size_t bytes)
{
	uint8_t *start = address;
	size_t found = 0;
	pthread_mutex_lock(&lock);
	for (size_t i = n_mappings; i-- > 0;) {
		struct mapping mapping = mappings[i];
		if (mapping.start < start || mapping.start + mapping.bytes > start + bytes)
			continue;
		madvise(mapping.start, mapping.bytes, MADV_DONTNEED);
		mprotect(mapping.start, mapping.bytes, PROT_NONE);
		drop(mapping.physical);
		mappings[i] = mappings[--n_mappings];
		found += mapping.bytes;
	}
	pthread_mutex_unlock(&lock);
	return found && found == bytes ? CUDA_OK : CUDA_INVALID_VALUE;
}

static struct mapping *mapping_at(const void *address)
{
	const uint8_t *at = address;
	for (size_t i = 0; i < n_mappings; i++)
		if (mappings[i].start <= at && at < mappings[i].start + mappings[i].bytes)
			return &mappings[i];
	return NULL;
}

int virtual_retain(const void *address, struct physical **physical)
{
	pthread_mutex_lock(&lock);
	const struct mapping *mapping = mapping_at(address);
	if (mapping) {
		mapping->physical->refs++;
		*physical = mapping->physical;
	}
	pthread_mutex_unlock(&lock);
	return mapping ? CUDA_OK : CUDA_INVALID_VALUE;
}

bool virtual_range(const void *address, void **start, size_t *bytes)
{
	pthread_mutex_lock(&lock);
	const struct mapping *mapping = mapping_at(address);
	if (mapping && start)
		*start = mapping->start;
	if (mapping && bytes)
		*bytes = mapping->bytes;
	pthread_mutex_unlock(&lock);
	return mapping;
}
