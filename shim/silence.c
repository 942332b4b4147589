#include "silence.h"

#include "clock.h"
#include "high_fd.h"
#include "lane.h"
#include "live.h"
#include "message.h"
#include "own_thread.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MS_NS 1000000u
#define ROW_MOST_NS (100 * MS_NS) /* a longer silence is several rows */

enum doing { NOTHING_YET, RAN, WAITED, SLEPT };

struct schedstat {
	uint64_t ran_ns, waited_ns;
};

/* Of a lane: what was seen of it. */
static struct watch {
	uint64_t head;
	uint32_t tid;
	int fd; /* of its schedstat; 0 none */
	bool silent;
	struct schedstat last; /* at `from` or later */
	uint64_t from_ticks, until_ticks;
	int64_t from_ns, until_ns; /* the same on CLOCK_MONOTONIC */
	uint64_t slept_ns, waited_ns;
	enum doing doing;
} watches[BATON_LIVE_LANES];

static _Atomic bool stopping, running;
static bool private_files; /* this thread's descriptors are its own */

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool read_schedstat(struct watch *watch, struct schedstat *now)
{
	char text[96];
	unsigned long long ran, waited;
	ssize_t n = watch->fd > 0 ? pread(watch->fd, text, sizeof(text) - 1, 0) : -1;
	if (n <= 0)
		return false;
	text[n] = 0;
	if (sscanf(text, "%llu %llu", &ran, &waited) != 2)
		return false;
	*now = (struct schedstat){ran, waited};
	return true;
}

static void let_go(struct watch *watch)
{
	if (watch->fd > 0)
		close(watch->fd);
	*watch = (struct watch){0};
}

/* The job's low numbers stay free: a thread without a high one is not watched. */
static void watch_thread(struct watch *watch, uint32_t tid)
{
	char path[64];
	let_go(watch);
	snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", tid);
	int opened = open(path, O_RDONLY | O_CLOEXEC), high = high_fd(opened);
	if (high == opened && opened >= 0 && !private_files) {
		close(opened);
		high = -1;
	}
	*watch = (struct watch){.tid = tid, .fd = high};
}

static void put_row(struct watch *watch, uint32_t thread)
{
	struct baton_lane *lane = lane_here();
	if (lane && watch->doing != NOTHING_YET)
		lane_put(lane, (struct baton_slot){.begin = watch->from_ticks,
										   .end = watch->until_ticks,
										   .name = thread,
										   .type = BATON_SLOT_SCHED,
										   .correlation = (uint32_t)watch->slept_ns,
										   .stack = (uint32_t)watch->waited_ns});
	watch->from_ticks = watch->until_ticks;
	watch->from_ns = watch->until_ns;
	watch->slept_ns = watch->waited_ns = 0;
	watch->doing = NOTHING_YET;
}

static void begin_silence(struct watch *watch)
{
	watch->silent = read_schedstat(watch, &watch->last);
	watch->from_ticks = watch->until_ticks = clock_ticks();
	watch->from_ns = watch->until_ns = now_ns();
	watch->slept_ns = watch->waited_ns = 0;
	watch->doing = NOTHING_YET;
}

/* One more sample. Neighbours that did mostly the same are one row. */
static void go_on(struct watch *watch, uint32_t thread)
{
	struct schedstat now;
	uint64_t ticks = clock_ticks();
	int64_t ns = now_ns();
	if (!read_schedstat(watch, &now))
		return;
	uint64_t length = (uint64_t)(ns - watch->until_ns);
	uint64_t ran = now.ran_ns - watch->last.ran_ns, waited = now.waited_ns - watch->last.waited_ns;
	waited = waited < length ? waited : length;
	uint64_t slept = ran + waited < length ? length - ran - waited : 0;
	enum doing doing = 2 * slept > length ? SLEPT : 2 * waited > length ? WAITED : RAN;
	if (watch->doing != NOTHING_YET &&
		(doing != watch->doing || watch->until_ns - watch->from_ns > ROW_MOST_NS))
		put_row(watch, thread);
	watch->doing = doing;
	watch->slept_ns += slept;
	watch->waited_ns += waited;
	watch->until_ticks = ticks;
	watch->until_ns = ns;
	watch->last = now;
}

/* Returns how long the lane has been silent. */
static int64_t look_at(unsigned i)
{
	struct baton_lane *lane = live_lane(i);
	struct watch *watch = &watches[i];
	uint32_t thread = atomic_load(&lane->thread), tid = atomic_load(&lane->tid);
	uint64_t head = atomic_load_explicit(&lane->head, memory_order_relaxed);
	if (!thread || lane == lane_mine || atomic_load(&lane->over)) {
		if (watch->tid)
			let_go(watch);
		return 0;
	}
	if (watch->tid != tid)
		watch_thread(watch, tid);
	if (head != watch->head) {
		if (watch->silent)
			put_row(watch, thread);
		watch->silent = false;
		watch->head = head;
		return 0;
	}
	if (!watch->silent)
		begin_silence(watch);
	else
		go_on(watch, thread);
	return watch->until_ns - watch->from_ns;
}

static void run(void)
{
	int64_t since = now_ns();
	atomic_store(&running, true);
	private_files = own_thread_private_files();
	lane_here();
	while (!atomic_load(&stopping)) {
		uint32_t used = atomic_load(&live->lanes_used);
		bool anybody = false;
		for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES; i++) {
			struct watch *watch = &watches[i];
			uint64_t head = watch->head;
			look_at(i);
			anybody |= watch->head != head;
		}
		int64_t now = now_ns();
		since = anybody ? now : since;
		/* nothing for a second: the job is elsewhere, and finer samples would say the same */
		usleep(now - since < 1000 * MS_NS ? 1000 : 10000);
	}
	atomic_store(&running, false);
}

void silence_start(void)
{
	memset(watches, 0, sizeof(watches));
	atomic_store(&stopping, false);
	if (access("/proc/self/schedstat", R_OK) != 0)
		message_detail("no schedstat here: what silent threads do is not recorded");
	else if (own_thread_start("baton-sampler", run) != 0)
		message_detail("no sampler thread: what silent threads do is not recorded");
}

void silence_stop(void)
{
	atomic_store(&stopping, true);
	for (int i = 0; i < 50 && atomic_load(&running); i++)
		usleep(1000);
}

void silence_forget(void)
{
	atomic_store(&running, false);
}
