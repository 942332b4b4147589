#include "doubles/driver/core/host_thread.h"

#include "doubles/observe.h"
#include "engine/room.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct host_thread *_Atomic all_threads;
static __thread struct host_thread *this_thread __attribute__((tls_model("initial-exec")));
static pthread_key_t thread_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static void (*_Atomic at_end)(struct host_thread *thread);

void host_thread_ending(void (*over)(struct host_thread *thread))
{
	at_end = over;
}

static void thread_over(void *thread)
{
	void (*over)(struct host_thread *) = at_end;
	if (over)
		over(thread);
}

static void make_key(void)
{
	pthread_key_create(&thread_key, thread_over);
}

static struct host_thread *new_thread(void)
{
	struct host_thread *thread = must(calloc(1, sizeof(*thread)));
	thread->tid = (uint32_t)syscall(SYS_gettid);
	struct host_thread *first = all_threads;
	do
		thread->next = first;
	while (!atomic_compare_exchange_weak(&all_threads, &first, thread));
	pthread_once(&key_once, make_key);
	pthread_setspecific(thread_key, thread);
	return this_thread = thread;
}

struct host_thread *host_thread(void)
{
	struct host_thread *thread = this_thread;
	return thread ? thread : new_thread();
}

void host_thread_launched(void)
{
	struct host_thread *thread = host_thread();
	uint64_t n = atomic_load_explicit(&thread->launches, memory_order_relaxed);
	atomic_store_explicit(&thread->launches, n + 1, memory_order_relaxed);
}

/* A thread id may come back: counts of one id are one. */
unsigned simgpu_launches(struct sim_count *out, unsigned room)
{
	unsigned n = 0;
	for (struct host_thread *t = all_threads; t; t = t->next) {
		uint64_t launches = atomic_load_explicit(&t->launches, memory_order_relaxed);
		unsigned i = 0;
		while (i < n && i < room && out[i].key != t->tid)
			i++;
		if (!launches)
			continue;
		if (i < n && i < room) {
			out[i].n += launches;
			continue;
		}
		if (n < room)
			out[n] = (struct sim_count){t->tid, launches};
		n++;
	}
	return n;
}
