#include "ring/buffers.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { FILLED_IN_NS = 125 * 1000000 };

enum state { UNMADE, FREE, TAKEN, FULL };

static struct buffer {
	_Atomic int state;
	uint8_t *bytes;
	size_t valid;
	void *context;
	uint32_t stream;
	int64_t taken_ns;
	_Atomic uint64_t order; /* of those that are full */
} pool[BUFFERS];

static _Atomic uint64_t filled;
static uint64_t drained;
static _Atomic uint32_t room = BUFFER_LEAST_BYTES; /* of the next one */

static int64_t coarse_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* As much as came in an eighth of a second while this one was out, down to a power of two. */
static void learn(const struct buffer *b)
{
	int64_t out_ns = coarse_ns() - b->taken_ns;
	uint64_t rate = b->valid * FILLED_IN_NS / (uint64_t)(out_ns > 0 ? out_ns : 1);
	uint32_t next = BUFFER_LEAST_BYTES;
	while (next < BUFFER_BYTES && 2 * (uint64_t)next <= rate)
		next *= 2;
	atomic_store_explicit(&room, next, memory_order_relaxed);
}

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

uint8_t *buffers_take(size_t *bytes)
{
	for (uint32_t i = 0; i < memory_size->gpu_buffers; i++) {
		int state = atomic_load_explicit(&pool[i].state, memory_order_relaxed);
		if (state != FREE && state != UNMADE)
			continue;
		if (!atomic_compare_exchange_strong(&pool[i].state, &state, TAKEN))
			continue;
		pool[i].taken_ns = coarse_ns();
		*bytes = i < BUFFERS_FEW ? atomic_load_explicit(&room, memory_order_relaxed) : BUFFER_BYTES;
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
	learn(b);
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

void buffers_drop(void)
{
	struct buffer_full full;
	while (buffers_next(&full))
		buffers_give_back(&full);
	buffers_release();
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
