#include "lane.h"

#include "dict.h"
#include "live.h"
#include "nvtx.h"
#include "session.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

SHIM_TLS struct baton_lane *lane_mine;
atomic_bool lane_started;
uint32_t lane_generation = 1;

static pthread_key_t thread_end;
static bool thread_end_made;
static SHIM_TLS uint32_t lane_refused; /* the generation in which this thread got none */

/* The thread ends: its lane can be another's once it is drained. Hooks that run later in other
 * destructors open a new one. */
static void leave(void *shared)
{
	struct baton_lane *lane = shared;
	STOP_POINT("thread end");
	lane_mine = NULL;
	if (lane_own(lane)->generation == lane_generation)
		atomic_store_explicit(&lane->over, 1, memory_order_release);
}

void lane_prepare(void)
{
	if (!thread_end_made)
		thread_end_made = pthread_key_create(&thread_end, leave) == 0;
}

uint32_t lane_thread_record(const char *name)
{
	uint32_t text = dict_string(name, strlen(name)); /* defined before it is used */
	struct baton_r_thread *row = dict_reserve(sizeof(*row));
	if (!row)
		return 0;
	uint32_t id = dict_id();
	row->id = id;
	row->name = text;
	row->pid = getpid();
	row->tid = syscall(SYS_gettid);
	dict_publish(row, BATON_R_THREAD, sizeof(*row));
	return id;
}

/* The first lane without an owner: one that was drained after its thread's end, or a new one, which
 * gets its ring. */
static struct baton_lane *claim(uint32_t thread)
{
	for (uint32_t i = 0; i < BATON_LIVE_LANES; i++) {
		struct baton_lane *lane = live_lane(i);
		uint32_t nobody = 0;
		if (!atomic_compare_exchange_strong(&lane->thread, &nobody, thread))
			continue;
		if (!lane->offset && live_ring(lane, i) != 0)
			return NULL; /* no room: it stays claimed */
		uint32_t used = atomic_load(&live->lanes_used);
		while (used <= i && !atomic_compare_exchange_weak(&live->lanes_used, &used, i + 1))
			;
		return lane;
	}
	return NULL;
}

static struct baton_lane *open_for_thread(void)
{
	char name[16] = "";
	prctl(PR_GET_NAME, name);
	const char *given = nvtx_thread_name((uint32_t)syscall(SYS_gettid));
	uint32_t thread = lane_thread_record(given ? given : name);
	struct baton_lane *shared = thread ? claim(thread) : NULL;
	if (!shared)
		return NULL;
	STOP_POINT("lane");
	*lane_own(shared) = (struct lane){.slots = live_slots(shared),
									  .mask = shared->slots - 1,
									  .head = atomic_load(&shared->head),
									  .tail_seen = atomic_load(&shared->tail),
									  .generation = lane_generation,
									  .thread = thread};
	atomic_store(&shared->tid, (uint32_t)syscall(SYS_gettid));
	if (thread_end_made)
		pthread_setspecific(thread_end, shared);
	return shared;
}

struct baton_lane *lane_open(void)
{
	int saved_errno = errno;
	int depth = guard_depth;
	guard_depth = 1;
	struct baton_lane *lane = NULL;
	if (lane_refused != lane_generation && session_begin()) {
		lane = open_for_thread();
		if (lane)
			lane_mine = lane;
		else {
			lane_refused = lane_generation;
			atomic_fetch_add(&session_unheard, 1);
		}
	}
	guard_depth = depth;
	errno = saved_errno;
	return lane;
}
