#include "ring/lane.h"

#include "base/clock.h"
#include "base/wake.h"
#include "ring/dict.h"
#include "ring/live.h"
#include "ring/stack.h"
#include "ring/thread_name.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

SHIM_TLS struct baton_lane *lane_mine;

static struct lane_owner owners[BATON_LIVE_LANES];

static pthread_key_t thread_end;
static bool thread_end_made;
#define CLAIMED UINT32_MAX   /* a lane whose thread has no record yet */
#define RETRY_TICKS 20000000 /* some 10 ms */

static SHIM_TLS uint64_t refused_ticks; /* when this thread got none, 0: it has not asked */

/* The thread ends: its lane can be another's once it is drained. Hooks that run later in other
 * destructors open a new one. */
static void leave(void *shared)
{
	struct baton_lane *lane = shared;
	STOP_POINT("thread end");
	lane_mine = NULL;
	if (lane_own(lane)->generation == recording_generation)
		atomic_store_explicit(&lane->over, 1, memory_order_release);
}

void lane_prepare(void)
{
	if (!thread_end_made)
		thread_end_made = pthread_key_create(&thread_end, leave) == 0;
}

uint32_t lane_thread_record_of(const char *name, int64_t pid, int64_t tid)
{
	uint32_t text = dict_string(name, strlen(name)); /* defined before it is used */
	struct baton_r_thread *row = dict_reserve(sizeof(*row));
	if (!row)
		return 0;
	uint32_t id = dict_id();
	row->id = id;
	row->name = text;
	row->pid = pid;
	row->tid = tid;
	dict_publish(row, BATON_R_THREAD, sizeof(*row));
	return id;
}

uint32_t lane_thread_record(const char *name)
{
	return lane_thread_record_of(name, getpid(), syscall(SYS_gettid));
}

/* The first lane without an owner: one that was drained after its thread's end, or a new one, which
 * gets its ring. */
static struct baton_lane *claim(void)
{
	for (uint32_t i = 0; i < BATON_LIVE_LANES; i++) {
		struct baton_lane *lane = live_lane(i);
		uint32_t nobody = 0;
		if (!atomic_compare_exchange_strong(&lane->thread, &nobody, CLAIMED))
			continue;
		if (!lane->offset && live_ring(lane, i) != 0) {
			atomic_store(&lane->thread, 0);
			return NULL;
		}
		uint32_t used = atomic_load(&live->lanes_used);
		while (used <= i && !atomic_compare_exchange_weak(&live->lanes_used, &used, i + 1))
			;
		return lane;
	}
	return NULL;
}

struct lane_owner *lane_owner(unsigned index)
{
	return &owners[index];
}

static void note_owner(const struct baton_lane *lane)
{
	struct lane_owner *owner = &owners[lane - live_lane(0)];
	atomic_store(&owner->thread, (uint64_t)pthread_self());
	atomic_store_explicit(&owner->python, stack_thread(), memory_order_release);
}

static struct baton_lane *open_for_thread(void)
{
	char name[16] = "";
	prctl(PR_GET_NAME, name);
	struct baton_lane *shared = claim();
	if (!shared)
		return NULL;
	const char *given = thread_name_given((uint32_t)syscall(SYS_gettid));
	uint32_t thread = lane_thread_record(given ? given : name);
	STOP_POINT("lane");
	atomic_store(&shared->thread, thread); /* 0 when the dictionary is full: free again */
	if (!thread)
		return NULL;
	*lane_own(shared) = (struct lane){.slots = live_slots(shared),
									  .mask = shared->slots - 1,
									  .head = atomic_load(&shared->head),
									  .tail_seen = atomic_load(&shared->tail),
									  .generation = recording_generation,
									  .thread = thread};
	atomic_store(&shared->tid, (uint32_t)syscall(SYS_gettid));
	note_owner(shared);
	if (thread_end_made)
		pthread_setspecific(thread_end, shared);
	return shared;
}

/* Opening a lane, and with it perhaps the recording, keeps the thread from its work: that is ours,
 * not the job's. */
static void tell_cost(struct baton_lane *lane, uint64_t begin)
{
	if (clock_counter) /* else the clock may have been chosen in between */
		lane_put(lane, (struct baton_slot){.begin = begin,
										   .end = clock_ticks(),
										   .name = dict_literal("baton: opening a ring"),
										   .aux = BATON_OVERHEAD_PROFILER,
										   .type = BATON_SLOT_OVERHEAD});
}

void lane_unheard(bool launch)
{
	if (launch && recording_takes_calls() && live)
		atomic_fetch_add_explicit(&live->unheard_launches, 1, memory_order_relaxed);
}

struct baton_lane *lane_open(void)
{
	int saved_errno = errno, cancel_state;
	bool outermost = guard_raise(GUARD_SHIM);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state); /* nobody unwinds out of here */
	struct baton_lane *lane = NULL;
	uint64_t begin = clock_ticks();
	if ((!refused_ticks || begin - refused_ticks > RETRY_TICKS) && recording.above &&
		recording.above->begin() && recording_takes_calls()) {
		lane = open_for_thread();
		refused_ticks = lane ? 0 : begin;
		if (lane) {
			lane_mine = lane;
			tell_cost(lane, begin);
		} else {
			wake_hurry(); /* what it writes out frees the lanes of threads that have ended */
		}
	}
	pthread_setcancelstate(cancel_state, NULL);
	if (outermost)
		guard_lower(GUARD_SHIM);
	errno = saved_errno;
	return lane;
}
