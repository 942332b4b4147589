#include "buffers.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum state { UNMADE, FREE, TAKEN, FULL };

static struct buffer {
	_Atomic int state;
	uint8_t *bytes;
	size_t valid;
	void *context;
	uint32_t stream;
	_Atomic uint64_t order; /* of those that are full */
} pool[BUFFERS];

static _Atomic uint64_t filled;
static uint64_t drained;

static uint8_t *make(struct buffer *b)
{
	void *map =
		mmap(NULL, BUFFER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED) {
		atomic_store(&b->state, UNMADE);
		return NULL;
	}
	return b->bytes = map;
}

uint8_t *buffers_take(void)
{
	for (int i = 0; i < BUFFERS; i++) {
		int state = atomic_load_explicit(&pool[i].state, memory_order_relaxed);
		if (state != FREE && state != UNMADE)
			continue;
		if (atomic_compare_exchange_strong(&pool[i].state, &state, TAKEN))
			return state == FREE ? pool[i].bytes : make(&pool[i]);
	}
	return NULL;
}

static struct buffer *of(const uint8_t *bytes)
{
	for (int i = 0; i < BUFFERS; i++)
		if (pool[i].bytes == bytes)
			return &pool[i];
	return NULL;
}

void buffers_full(uint8_t *bytes, size_t valid, void *context, uint32_t stream)
{
	struct buffer *b = of(bytes);
	if (!b)
		return;
	b->valid = valid;
	b->context = context;
	b->stream = stream;
	atomic_store(&b->order, atomic_fetch_add(&filled, 1));
	atomic_store_explicit(&b->state, FULL, memory_order_release);
}

int buffers_next(struct buffer_full *full)
{
	if (drained == atomic_load(&filled))
		return 0;
	for (int i = 0; i < BUFFERS; i++) {
		struct buffer *b = &pool[i];
		if (atomic_load_explicit(&b->state, memory_order_acquire) != FULL ||
			atomic_load(&b->order) != drained)
			continue;
		*full = (struct buffer_full){b->bytes, b->valid, b->context, b->stream};
		drained++;
		return 1;
	}
	return 0; /* its number is taken and it is about to be there */
}

void buffers_pass(uint8_t *bytes, size_t valid)
{
	struct buffer *b = of(bytes);
	if (!b)
		return;
	memset(bytes, 0, valid);
	atomic_store_explicit(&b->state, FREE, memory_order_release);
}

void buffers_release(void)
{
	for (int i = 0; i < BUFFERS; i++) {
		int state = FREE;
		if (!atomic_compare_exchange_strong(&pool[i].state, &state, TAKEN))
			continue;
		madvise(pool[i].bytes, BUFFER_BYTES, MADV_DONTNEED);
		atomic_store_explicit(&pool[i].state, FREE, memory_order_release);
	}
}

void buffers_give_back(const struct buffer_full *full)
{
	buffers_pass(full->bytes, full->valid);
}
