#include "sources/silence/silence.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/own.h"
#include "ring/lane.h"
#include "ring/live.h"
#include "ring/stack.h"
#include "sources/silence/busy.h"
#include "sources/silence/children.h"
#include "sources/silence/sched_row.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS_NS 1000000u
#define ROW_MOST_NS (100 * MS_NS)  /* a longer silence is several rows */
#define STACK_AFTER_NS (2 * MS_NS) /* of silence; then in ever longer intervals */
#define STACK_AGAIN_NS MS_NS       /* after another thread fell silent: this one may go on */
#define AT_ONCE_NS (MS_NS / 10)    /* readings that are no further apart are of one moment */
#define LEAD_LEAST_NS (MS_NS / 20) /* less is not worth a row of its own */
#define SLOW_LOOKS 8               /* in a row: reading takes that long here, under a tracer */

enum doing { NOTHING_YET, RAN, WAITED, SLEPT, LOCKED /* asleep until it gets Python's lock */ };

struct account {
	uint64_t ran_ns, waited_ns;
};

/* Of a lane: what was seen of it at the last look, and its silence since. */
static struct watch {
	uint64_t head;
	uint32_t tid;
	int fd;              /* of its schedstat */
	bool has_clock;      /* its CPU clock can be read */
	bool known;          /* the three below are of the last look */
	unsigned slow_looks; /* in a row, and not taken */
	struct account last;
	uint64_t last_ticks;
	int64_t last_ns;
	uint64_t slept_before, waited_before; /* between the last look and the one before */
	bool silent;
	uint64_t from_ticks; /* of the row that grows */
	int64_t from_ns;
	uint64_t slept_ns, waited_ns;
	bool leads;            /* it has not been away in this row */
	uint64_t lead_ns;      /* so long it ran in the row before it was away */
	uint64_t lead_more_ns; /* and so long in the look in which that began, if it went on */
	double ns_per_tick;
	enum doing doing;
	uint32_t stack;                   /* where it stood */
	int64_t stack_ns, stack_every_ns; /* when to look again */
	int64_t looked_ns;
	struct holder holder; /* of a row that is LOCKED */
	struct busy busy;     /* while it is not silent */
} watches[BATON_LIVE_LANES];

static _Atomic bool stopping, running;
static _Atomic int64_t cpu_ns;

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The clock of what a thread of this process ran: CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED of the
 * kernel's <linux/posix-timers.h>, as pthread_getcpuclockid() makes it. */
static bool thread_ran(uint32_t tid, uint64_t *ran_ns)
{
	struct timespec t;
	if (clock_gettime((clockid_t)(~tid << 3 | 6), &t) != 0)
		return false;
	*ran_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	return true;
}

/* schedstat has the run time of a running thread as of the last tick of the clock, up to 4 ms ago:
 * the CPU clock has it as of now. Only schedstat has the time without a core. */
static bool read_account(const struct watch *watch, struct account *now)
{
	char text[96];
	unsigned long long ran, waited;
	ssize_t n = watch->fd >= 0 ? pread(watch->fd, text, sizeof(text) - 1, 0) : -1;
	if (n <= 0)
		return false;
	text[n] = 0;
	if (sscanf(text, "%llu %llu", &ran, &waited) != 2)
		return false;
	*now = (struct account){ran, waited};
	return !watch->has_clock || thread_ran(watch->tid, &now->ran_ns);
}

static void watch_thread(struct watch *watch, uint32_t tid)
{
	char path[64];
	uint64_t ran_ns;
	if (watch->tid && watch->fd >= 0)
		close(watch->fd);
	snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", tid);
	*watch = (struct watch){.tid = tid,
							.fd = own_fd(open(path, O_RDONLY | O_CLOEXEC)),
							.has_clock = thread_ran(tid, &ran_ns)};
}

static double least_of(double a, double b)
{
	return a < b ? a : b;
}

/* The part of the row up to `until` in which the thread ran before it was away: a row of its own,
 * because a row's sleep and wait are taken to come first. */
static uint64_t put_lead(const struct watch *watch, uint32_t thread, uint64_t until)
{
	const uint64_t from = watch->from_ticks, away_ns = watch->slept_ns + watch->waited_ns;
	if (until <= from || away_ns == 0 || watch->lead_ns < LEAD_LEAST_NS)
		return from;
	const double ran_ns = (double)(until - from) * watch->ns_per_tick - (double)away_ns;
	const double lead_ns = least_of(ran_ns, (double)watch->lead_ns);
	if (lead_ns < LEAD_LEAST_NS)
		return from;
	const uint64_t to = from + (uint64_t)(lead_ns / watch->ns_per_tick);
	sched_row_put(
		&(struct sched_row){.begin = from, .end = to, .thread = thread, .stack = watch->stack});
	return to;
}

/* The row so far, up to `until`. One that is all running is written too: it tells the thread awake.
 */
static void put_row(struct watch *watch, uint32_t thread, uint64_t until)
{
	sched_row_put(&(struct sched_row){.begin = put_lead(watch, thread, until),
									  .end = until,
									  .slept_ns = watch->slept_ns,
									  .waited_ns = watch->waited_ns,
									  .thread = thread,
									  .stack = watch->stack,
									  .holder = watch->doing == LOCKED ? &watch->holder : NULL});
	watch->leads = watch->slept_before + watch->waited_before < AT_ONCE_NS;
	watch->lead_ns = watch->lead_more_ns = 0;
	watch->holder = (struct holder){0};
	watch->from_ticks = until;
	watch->from_ns = watch->last_ns;
	watch->slept_ns = watch->waited_ns = 0;
	watch->doing = NOTHING_YET;
	watch->stack = 0;
	watch->stack_ns = watch->last_ns;
	watch->stack_every_ns = 2 * STACK_AFTER_NS;
}

/* What is read of a lane and its thread at once: the sampler may lose its core in between, and what
 * the thread did meanwhile would be taken for sleep the next time. */
struct look {
	uint64_t head, ticks;
	int64_t ns;
	struct account account;
};

static bool take_look(struct watch *watch, const struct baton_lane *lane, struct look *look)
{
	for (int tries = 0; tries < 3; tries++) {
		int64_t begin = now_ns();
		look->head = atomic_load_explicit(&lane->head, memory_order_acquire);
		look->ticks = clock_ticks();
		if (!read_account(watch, &look->account))
			return false;
		look->ns = now_ns();
		if ((uint64_t)(look->ns - begin) <= AT_ONCE_NS) {
			watch->slow_looks = 0;
			return true;
		}
	}
	return ++watch->slow_looks > SLOW_LOOKS; /* else the next one sees it all */
}

/* What the thread did since the last look. The kernel notes that a thread waited when it gets its
 * turn: until then it seems to have slept, and `late_ns` is what it is found to have run and waited
 * before the last look. */
struct share {
	uint64_t length_ns, slept_ns, waited_ns;
	uint64_t late_ns, late_waited_ns;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static struct share share_since(const struct watch *watch, const struct look *look)
{
	uint64_t length = (uint64_t)(look->ns - watch->last_ns);
	uint64_t ran = look->account.ran_ns - watch->last.ran_ns;
	uint64_t waited = look->account.waited_ns - watch->last.waited_ns;
	struct share share = {.length_ns = length, .waited_ns = least(waited, length)};
	share.late_waited_ns = waited - share.waited_ns;
	if (ran + waited < length)
		share.slept_ns = length - ran - waited;
	else
		share.late_ns = ran + waited - length;
	return share;
}

/* The row so far counts as slept what was late. */
static void take_late(struct watch *watch, const struct share *share)
{
	uint64_t late = least(share->late_ns, watch->slept_ns);
	uint64_t row_ns = (uint64_t)(watch->last_ns - watch->from_ns);
	if (!late)
		return;
	watch->slept_ns -= late;
	watch->waited_ns += least(late, share->late_waited_ns);
	if (watch->doing >= SLEPT && 2 * watch->slept_ns <= row_ns)
		watch->doing = 2 * watch->waited_ns > row_ns ? WAITED : RAN;
}

/* It began with the end of the last slot, before the last look: what was slept and waited between
 * the two looks before was so after that slot, as far as there is room. */
static void begin_silence(struct watch *watch, const struct baton_lane *lane)
{
	uint64_t begin, end = 0;
	bool at_hand = watch->head && lane_slot_times(lane, watch->head - 1, &begin, &end) &&
				   end <= watch->last_ticks;
	watch->silent = true;
	watch->doing = NOTHING_YET;
	watch->stack = 0;
	watch->stack_ns = watch->last_ns + STACK_AFTER_NS;
	watch->stack_every_ns = 2 * STACK_AFTER_NS;
	watch->from_ticks = at_hand ? end : watch->last_ticks;
	watch->from_ns = watch->last_ns;
	uint64_t before_ns =
		(uint64_t)((double)(watch->last_ticks - watch->from_ticks) * watch->ns_per_tick);
	watch->slept_ns = least(watch->slept_before, before_ns);
	watch->waited_ns = least(watch->waited_before, before_ns - watch->slept_ns);
	watch->lead_ns = before_ns - watch->slept_ns - watch->waited_ns;
	watch->lead_more_ns = 0;
	watch->leads = watch->slept_ns + watch->waited_ns < AT_ONCE_NS;
	const struct baton_stretch before = {watch->from_ticks, watch->last_ticks, 0};
	busy_fell_silent(&watch->busy, &before, watch->slept_ns, watch->waited_ns);
}

/* Where does it stand? Another place than before begins a row. */
static void look_where(struct watch *watch, unsigned lane, uint32_t thread, int64_t now)
{
	if (now < watch->stack_ns)
		return;
	struct lane_owner *owner = lane_owner(lane);
	const void *python = atomic_load_explicit(&owner->python, memory_order_acquire);
	uint32_t stack = stack_of(python, atomic_load(&owner->thread));
	int64_t every = watch->stack_every_ns;
	if (watch->stack && stack != watch->stack)
		put_row(watch, thread, watch->last_ticks);
	watch->stack = stack;
	watch->looked_ns = now;
	watch->stack_ns = now + every;
	watch->stack_every_ns = 2 * every;
}

static uint64_t away_ns(const struct share *share)
{
	return share->slept_ns + share->waited_ns;
}

/* When a thread is away in the next look too, that began at the end of the look before. */
static void settle_lead(struct watch *watch, const struct share *share)
{
	if (2 * away_ns(share) > share->length_ns)
		watch->lead_ns += watch->lead_more_ns;
	watch->lead_more_ns = 0;
}

/* What it ran in a look of the row. */
static void add_lead(struct watch *watch, const struct share *share)
{
	const uint64_t away = away_ns(share), ran_ns = share->length_ns - away;
	if (!watch->leads)
		return;
	watch->leads = away < AT_ONCE_NS;
	*(watch->leads ? &watch->lead_ns : &watch->lead_more_ns) += ran_ns;
}

/* Still silent. Neighbours that did mostly the same are one row. */
static void go_on(struct watch *watch, unsigned lane, const struct share *share, int64_t now)
{
	take_late(watch, share);
	uint32_t thread = atomic_load(&live_lane(lane)->thread);
	enum doing doing = 2 * share->slept_ns > share->length_ns    ? SLEPT
					   : 2 * share->waited_ns > share->length_ns ? WAITED
																 : RAN;
	struct holder holder = watch->doing == LOCKED ? watch->holder : (struct holder){0};
	if (doing == SLEPT && holder_look(&holder, lane_owner(lane), watch->tid))
		doing = LOCKED;
	uint64_t row = watch->from_ticks;
	settle_lead(watch, share);
	if (watch->doing != NOTHING_YET &&
		(doing != watch->doing || watch->last_ns - watch->from_ns > ROW_MOST_NS))
		put_row(watch, thread, watch->last_ticks);
	look_where(watch, lane, thread, now);
	if (doing == LOCKED && watch->from_ticks != row) { /* the votes were for the row that is out */
		holder = (struct holder){0};
		holder_look(&holder, lane_owner(lane), watch->tid);
	}
	watch->doing = doing;
	watch->holder = holder;
	watch->slept_ns += share->slept_ns;
	watch->waited_ns += share->waited_ns;
	add_lead(watch, share);
}

/* It ended with the first slot since: at its begin, or, when the thread was inside that call all
 * the time, its end. */
static void end_silence(struct watch *watch, uint32_t thread, const struct baton_lane *lane,
						uint64_t head, const struct share *share)
{
	uint64_t begin, end;
	take_late(watch, share);
	settle_lead(watch, share);
	bool there =
		head - watch->head <= lane->slots / 2 && lane_slot_times(lane, watch->head, &begin, &end);
	const bool inside = there && begin <= watch->from_ticks;
	uint64_t until = inside ? end : begin;
	there = there && until > watch->last_ticks;
	if (there) {
		watch->slept_ns += share->slept_ns;
		watch->waited_ns += share->waited_ns;
	}
	if (there && inside) /* it may have waited before the call returned, not in the middle of it */
		watch->lead_ns = UINT64_MAX;
	put_row(watch, thread, there ? until : watch->last_ticks);
	watch->silent = false;
}

/* It has made records since the last look. */
static void be_busy(struct watch *watch, unsigned i, const struct look *look,
					const struct share *share)
{
	busy_take(&watch->busy, &(struct busy_look){.lane = live_lane(i),
												.owner = lane_owner(i),
												.tid = watch->tid,
												.now_ns = look->ns,
												.heads = {watch->head, look->head},
												.ticks = {watch->last_ticks, look->ticks},
												.ns = share->length_ns,
												.slept_ns = share->slept_ns,
												.waited_ns = share->waited_ns});
}

static void look_at(unsigned i)
{
	struct baton_lane *lane = live_lane(i);
	struct watch *watch = &watches[i];
	struct look look;
	uint32_t thread = atomic_load(&lane->thread), tid = atomic_load(&lane->tid);
	if (!thread || thread == UINT32_MAX || lane == lane_mine || atomic_load(&lane->over) ||
		!lane->offset)
		return;
	if (watch->tid != tid)
		watch_thread(watch, tid);
	if (!take_look(watch, lane, &look))
		return;
	struct share share = share_since(watch, &look);
	const bool same = watch->known && look.head == watch->head;
	watch->ns_per_tick = (double)share.length_ns / (double)(look.ticks - watch->last_ticks + 1);
	if (same && !watch->silent)
		begin_silence(watch, lane);
	else if (!same)
		busy_late(&watch->busy, share.late_ns, share.late_waited_ns);
	busy_put(&watch->busy, thread);
	if (same)
		go_on(watch, i, &share, look.ns);
	else if (watch->silent)
		end_silence(watch, thread, lane, look.head, &share);
	else if (watch->known)
		be_busy(watch, i, &look, &share);
	watch->known = true;
	watch->head = look.head;
	watch->last = look.account;
	watch->last_ticks = look.ticks;
	watch->last_ns = look.ns;
	watch->slept_before = share.slept_ns;
	watch->waited_before = share.waited_ns;
}

/* A thread that fell silent may have done what others wait for, which then stand elsewhere. */
static void look_again(uint32_t used, int64_t now)
{
	for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES; i++) {
		struct watch *watch = &watches[i];
		int64_t earliest = watch->looked_ns + STACK_AFTER_NS;
		int64_t soon = now + STACK_AGAIN_NS > earliest ? now + STACK_AGAIN_NS : earliest;
		if (!watch->silent || watch->stack_ns <= soon)
			continue;
		watch->stack_ns = soon;
		watch->stack_every_ns = 2 * STACK_AFTER_NS;
	}
}

static void run(void)
{
	int64_t since = now_ns();
	lane_here();
	while (!atomic_load(&stopping)) {
		uint32_t used = atomic_load(&live->lanes_used);
		bool anybody = false, fell_silent = false;
		for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES; i++) {
			struct watch *watch = &watches[i];
			uint64_t head = watch->head;
			bool silent = watch->silent;
			look_at(i);
			anybody |= watch->head != head;
			fell_silent |= watch->silent && !silent;
		}
		int64_t now = now_ns();
		children_look(now);
		if (fell_silent)
			look_again(used, now);
		since = anybody ? now : since;
		/* nothing for a second: the job is elsewhere, and finer samples would say the same */
		usleep(now - since < 1000 * MS_NS ? 1000 : 10000);
	}
	for (size_t i = 0; i < BATON_LIVE_LANES; i++)
		if (watches[i].tid && watches[i].fd >= 0)
			close(
				watches[i].fd); /* the job's own, where the thread could have no table of its own */
	struct timespec cpu;
	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0)
		atomic_store(&cpu_ns, (int64_t)cpu.tv_sec * 1000000000 + cpu.tv_nsec);
	atomic_store(&running, false);
}

int64_t silence_cpu_ns(void)
{
	return atomic_load(&cpu_ns);
}

void silence_start(void)
{
	memset(watches, 0, sizeof(watches));
	children_forget();
	holder_forget();
	atomic_store(&stopping, false);
	if (!memory_size->sampler)
		return;
	if (access("/proc/self/schedstat", R_OK) != 0) {
		message_detail("no schedstat here: what silent threads do is not recorded");
		return;
	}
	atomic_store(&running, true); /* from now on, or a stop before its first step would not wait */
	if (own_thread_start("baton-sampler", run, true) != 0) {
		atomic_store(&running, false);
		message_detail("no sampler thread: what silent threads do is not recorded");
	}
}

void silence_stop(bool goes_on)
{
	(void)goes_on;
	atomic_store(&stopping, true);
	for (int i = 0; i < 50 && atomic_load(&running); i++)
		usleep(1000);
}

void silence_forget(void)
{
	atomic_store(&running, false);
}
