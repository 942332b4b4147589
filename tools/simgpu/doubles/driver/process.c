/* CUDA's life in a process: cuInit, the engine's thread, forks, the end. */
#include "doubles/driver/core/core.h"
#include "doubles/driver/core/delivery.h"
#include "doubles/driver/core/host_thread.h"
#include "doubles/driver/core/settings.h"
#include "doubles/driver/memory/memory.h"
#include "doubles/driver/stream/capture.h"
#include "doubles/driver/stream/context.h"
#include "doubles/driver/stream/op.h"
#include "values/known.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

static pthread_mutex_t init_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_t engine_thread;
static bool stopping;

/* ---- the engine's thread ---- */

static void *engine_run(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "simgpu-engine");
	prctl(PR_SET_TIMERSLACK, 1000UL);
	core_lock();
	while (!stopping) {
		if (core.undelivered) {
			delivery_run();
			core_advance();
		} else {
			core_engine_sleep();
		}
	}
	core_unlock();
	return NULL;
}

static int start_engine(void)
{
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(&engine_thread, NULL, engine_run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed)
		fprintf(stderr, "simgpu: no thread for the engine (%d)\n", failed);
	return failed ? CUDA_UNKNOWN : CUDA_OK;
}

/* ---- beginning and end ---- */

static void forked(void)
{
	if (core.life != CORE_NEW)
		core.life = CORE_FORKED;
}

/* A thread of the program ends: its per-thread default streams go. */
static void thread_over(struct host_thread *thread)
{
	if (core_state())
		return;
	core_lock();
	for (int i = 0; i < MAX_DEVICES; i++)
		if (thread->streams[i]) {
			capture_leave(thread->streams[i]);
			stream_destroy(thread->streams[i]);
			thread->streams[i] = NULL;
		}
	core_unlock();
}

/* The driver's own exit: its observer hears of every context that goes, then nothing runs any more.
 * Bounded: an op that never ends (a collective without its peers) does not keep the process. */
static void leave_process(void)
{
	if (core.life != CORE_READY && core.life != CORE_DONE)
		return;
	simgpu_end_contexts();
	core.life = CORE_DEAD;
	pthread_mutex_lock(&core.lock);
	stopping = true;
	pthread_cond_signal(&core.engine);
	pthread_cond_broadcast(&core.changed); /* who waits for what it would have delivered */
	pthread_mutex_unlock(&core.lock);
	struct timespec patience;
	clock_gettime(CLOCK_REALTIME, &patience);
	patience.tv_sec++;
	pthread_timedjoin_np(engine_thread, NULL, &patience);
}

/* The contract of CUDA_INJECTION64_PATH: one entry, called inside cuInit. */
static void inject(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	if (!path || !*path)
		return;
	void *library = dlopen(path, RTLD_NOW);
	union {
		void *symbol;
		int (*call)(void);
	} entry = {.symbol = library ? dlsym(library, "InitializeInjection") : NULL};
	if (entry.symbol)
		entry.call();
}

/* The devices as the environment says. */
static int open_devices(void)
{
	struct known_memory memory = {memory_device, memory_range, settings()->zero_bytes};
	_Static_assert(MAX_DEVICES <= KNOWN_DEVICES, "values know as many devices");
	known_open(&memory);
	context_open(&op_hooks);
	return stream_open();
}

static int open_process(void)
{
	core_open();
	int failed = settings_fail_init();
	if (!failed)
		failed = open_devices();
	if (!failed)
		failed = start_engine();
	if (failed)
		return failed;
	host_thread_ending(thread_over);
	pthread_atfork(NULL, NULL, forked);
	atexit(leave_process);
	core.life = CORE_READY; /* the injected library may call CUDA */
	inject();
	core.life = CORE_DONE;
	return CUDA_OK;
}

int simgpu_init(void)
{
	int now = core.life;
	if (now == CORE_DONE)
		return CUDA_OK;
	if (now == CORE_FORKED || now == CORE_DEAD)
		return core_state();
	pthread_mutex_lock(&init_lock);
	int result = core.life == CORE_NEW ? open_process() : core_state();
	pthread_mutex_unlock(&init_lock);
	return result;
}
