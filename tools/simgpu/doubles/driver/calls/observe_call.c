#include "doubles/driver/calls/observe_call.h"

#include "doubles/driver/stream/context.h"
#include "doubles/driver/core/core.h"
#include "engine/room.h"
#include "doubles/driver/stream/stream.h"

#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct sim_observer *_Atomic observer_now;
static _Atomic uint32_t correlations;
static struct host_thread *_Atomic all_threads;
static __thread struct host_thread *this_thread __attribute__((tls_model("initial-exec")));
static pthread_key_t thread_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

/* ---- threads ---- */

static void thread_over(void *who)
{
	struct host_thread *thread = who;
	if (core_state())
		return;
	core_lock();
	for (int i = 0; i < MAX_DEVICES; i++)
		if (thread->streams[i]) {
			stream_destroy(thread->streams[i]);
			thread->streams[i] = NULL;
		}
	core_unlock();
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

void observe_count_launch(void)
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

/* ---- calls ---- */

const struct sim_observer *simgpu_observe(const struct sim_observer *observer)
{
	return atomic_exchange(&observer_now, observer);
}

const struct sim_observer *observe_who(void)
{
	return atomic_load_explicit(&observer_now, memory_order_acquire);
}

static uint32_t next_correlation(void)
{
	uint32_t id = atomic_fetch_add_explicit(&correlations, 1, memory_order_relaxed) + 1;
	return id ? id : next_correlation(); /* 0 means none */
}

static void begin(struct sim_observed *observed, enum sim_domain domain, uint32_t cbid,
				  const char *function, const void *params, const char *symbol)
{
	const struct sim_observer *observer = observed->observer = observe_who();
	if (!observer)
		return;
	struct context *context = context_current();
	observed->call = (struct sim_call){.domain = domain,
									   .cbid = cbid,
									   .function = function,
									   .params = params,
									   .symbol = symbol,
									   .context = context,
									   .context_id = context ? context->id : 0,
									   .correlation = host_thread()->correlation,
									   .begin_ns = core_now()};
	if (observer->enter)
		observer->enter(&observed->call);
}

static void finish(struct sim_observed *observed, int result)
{
	if (!observed->observer)
		return;
	observed->call.result = result;
	observed->call.ops = result ? 0 : host_thread()->ops;
	if (observed->observer->leave)
		observed->observer->leave(&observed->call);
}

int observe_enter(struct sim_observed *observed, uint32_t cbid, const char *function,
				  const void *params, const char *symbol)
{
	struct host_thread *thread = host_thread();
	int failed = core_state();
	observed->observer = NULL;
	observed->outermost = !thread->in_driver;
	if (failed || !observed->outermost)
		return failed;
	thread->in_driver = true;
	if (!thread->in_runtime) {
		thread->correlation = next_correlation();
		thread->ops = 0;
	}
	begin(observed, SIM_DRIVER, cbid, function, params, symbol);
	return CUDA_OK;
}

int observe_leave(struct sim_observed *observed, int result)
{
	if (host_thread()->captured && context_current())
		observe_resource(SIM_GRAPH_NODE_CREATED, context_current());
	host_thread()->captured = false;
	finish(observed, result);
	if (observed->outermost)
		host_thread()->in_driver = false;
	return result;
}

int simgpu_runtime_enter(struct sim_observed *observed, uint32_t cbid, const char *function,
						 const void *params, const char *symbol)
{
	struct host_thread *thread = host_thread();
	observed->observer = NULL;
	observed->outermost = !thread->in_runtime;
	int failed = simgpu_init();
	if (failed || !observed->outermost)
		return failed;
	thread->in_runtime = true;
	thread->correlation = next_correlation();
	thread->ops = 0;
	begin(observed, SIM_RUNTIME, cbid, function, params, symbol);
	return CUDA_OK;
}

int simgpu_runtime_leave(struct sim_observed *observed, int result)
{
	finish(observed, result);
	if (observed->outermost)
		host_thread()->in_runtime = false;
	return result;
}

void observe_resource(enum sim_resource_kind kind, struct context *context)
{
	const struct sim_observer *observer = observe_who();
	if (observer && observer->resource)
		observer->resource(kind, context, context->id);
}
