#include "base/perthread.h"

#include "base/guard.h"

#include <sys/mman.h>

enum { KEY_NONE, KEY_MAKING, KEY_THERE, KEY_NEVER };

/* Runs as the thread ends; a hook that is called even later opens a block again. */
static void give_back(void *arg)
{
	struct perthread *pool = arg;
	struct perthread_block *block = atomic_load_explicit(&pool->all, memory_order_acquire);
	void *self = (void *)&guard_layers;

	pool->gone();
	for (; block; block = block->next)
		if (atomic_load_explicit(&block->holder, memory_order_relaxed) == self) {
			atomic_store_explicit(&block->holder, NULL, memory_order_release);
			return;
		}
}

/* Without a key blocks are only never handed on. */
static void hold(struct perthread *pool)
{
	int state = KEY_NONE;
	if (atomic_compare_exchange_strong(&pool->state, &state, KEY_MAKING)) {
		state = pthread_key_create(&pool->key, give_back) ? KEY_NEVER : KEY_THERE;
		atomic_store(&pool->state, state);
	}
	if (atomic_load(&pool->state) == KEY_THERE)
		pthread_setspecific(pool->key, pool);
}

static struct perthread_block *reuse(struct perthread *pool, void *self)
{
	struct perthread_block *block = atomic_load_explicit(&pool->all, memory_order_acquire);
	for (; block; block = block->next) {
		void *nobody = NULL;
		if (atomic_compare_exchange_strong(&block->holder, &nobody, self))
			return block;
	}
	return NULL;
}

static struct perthread_block *make(struct perthread *pool, void *self)
{
	struct perthread_block *block =
		mmap(NULL, pool->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		return NULL;
	atomic_init(&block->holder, self);
	block->next = atomic_load_explicit(&pool->all, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(&pool->all, &block->next, block,
												  memory_order_release, memory_order_relaxed))
		;
	return block;
}

void *perthread_open(struct perthread *pool)
{
	void *self = (void *)&guard_layers; /* an address that only this thread has */
	struct perthread_block *block = reuse(pool, self);
	if (!block)
		block = make(pool, self);
	if (block)
		hold(pool);
	return block;
}
