#include "doubles/driver/core/core.h"

#include <time.h>

/* Nobody waits for what ends in between: the engine's thread looks this often, not at every op. */
#define LAZY_NS 100000
/* A waiting thread does not sleep for less. */
#define SLEEP_NS 10000

struct core core = {.lock = PTHREAD_MUTEX_INITIALIZER};
static int64_t realtime_offset_ns; /* CLOCK_REALTIME - CLOCK_MONOTONIC, read once */
static pthread_once_t clock_once = PTHREAD_ONCE_INIT;

/* ---- clock ---- */

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Ranks compare their times: the tightest of a few readings, for a thread may lose its core between
 * two. */
static int64_t clock_offset(void)
{
	int64_t tightest = INT64_MAX, offset = 0;
	for (int i = 0; i < 7; i++) {
		int64_t before = clock_ns(CLOCK_MONOTONIC), real = clock_ns(CLOCK_REALTIME);
		int64_t apart = clock_ns(CLOCK_MONOTONIC) - before;
		if (apart >= tightest)
			continue;
		tightest = apart;
		offset = real - before - apart / 2;
	}
	return offset;
}

static void clock_open(void)
{
	pthread_condattr_t monotonic;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&core.changed, &monotonic);
	pthread_cond_init(&core.engine, &monotonic);
	pthread_condattr_destroy(&monotonic);
	realtime_offset_ns = clock_offset();
}

void core_open(void)
{
	pthread_once(&clock_once, clock_open);
}

int64_t core_now(void)
{
	return clock_ns(CLOCK_MONOTONIC) + realtime_offset_ns;
}

int64_t simgpu_now_ns(void)
{
	core_open();
	return core_now();
}

/* ---- the lock, and what happened meanwhile ---- */

void core_advance(void)
{
	struct agenda *agenda = &core.agenda;
	int64_t now = core_now();
	while (agenda_next(agenda) <= now)
		agenda_step(agenda);
	if (agenda->now_ns < now)
		agenda->now_ns = now;
}

void core_lock(void)
{
	pthread_mutex_lock(&core.lock);
	core_advance();
}

static void wake_others(void)
{
	if (core.progress && core.waiters)
		pthread_cond_broadcast(&core.changed);
	core.progress = false;
}

/* When the engine's thread has to look again. */
static int64_t engine_due(void)
{
	int64_t next = agenda_next(&core.agenda);
	if (core.undelivered)
		return 0;
	if (next == INT64_MAX || core.outside)
		return next;
	int64_t lazy = core.agenda.now_ns + LAZY_NS;
	return next > lazy ? next : lazy;
}

static void wake_engine(void)
{
	if (core.engine_sleeps && engine_due() < core.engine_wakes_ns) {
		core.engine_wakes_ns = 0; /* told once */
		pthread_cond_signal(&core.engine);
	}
}

void core_unlock(void)
{
	wake_others();
	wake_engine();
	pthread_mutex_unlock(&core.lock);
}

static void sleep_until(pthread_cond_t *condition, int64_t at_ns)
{
	if (at_ns == INT64_MAX) {
		pthread_cond_wait(condition, &core.lock);
		return;
	}
	int64_t at = at_ns - realtime_offset_ns;
	struct timespec deadline = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
	pthread_cond_timedwait(condition, &core.lock, &deadline);
}

bool core_wait(bool (*done)(void *who), void *who, int64_t until_ns)
{
	bool over;
	core.waiters++;
	while (!(over = done(who)) && core.agenda.now_ns < until_ns) {
		int64_t wake = agenda_next(&core.agenda), soon = core.agenda.now_ns + SLEEP_NS;
		wake = wake < soon ? soon : wake;
		wake_others();
		wake_engine();
		sleep_until(&core.changed, wake < until_ns ? wake : until_ns);
		core_advance();
	}
	core.waiters--;
	return over;
}

void core_engine_sleep(void)
{
	wake_others();
	core.engine_wakes_ns = engine_due();
	core.engine_sleeps = true;
	sleep_until(&core.engine, core.engine_wakes_ns);
	core.engine_sleeps = false;
	core_advance();
}

static bool op_over(void *op)
{
	return ((struct gpu_op *)op)->ended;
}

bool core_wait_op(struct gpu_op *op, int64_t until_ns)
{
	if (!gpu_op_hold(op))
		return true;
	bool over = core_wait(op_over, op, until_ns);
	gpu_op_drop(op);
	return over;
}

/* ---- is there CUDA in this process? ---- */

int core_state(void)
{
	switch (core.life) {
	case CORE_READY:
	case CORE_DONE:
		return CUDA_OK;
	case CORE_DEAD:
		return CUDA_DEINITIALIZED;
	default:
		return CUDA_NOT_INITIALIZED;
	}
}

bool simgpu_ready(void)
{
	return core_state() == CUDA_OK;
}
