#include "sources/silence/holder.h"

#include "base/own.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "ring/live.h"
#include "ring/stack.h"
#include "ring/python_lock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STRANGERS = 32, TEXT_BYTES = 160 };

/* Threads without a ring that had the lock: they compute and launch nothing. */
static struct stranger {
	uint32_t tid, thread;
} strangers[STRANGERS];
static unsigned n_strangers; /* ever; the table keeps the last of them */
static uint32_t unknown;     /* the thread that stands for a holder of whom nothing is known */
static bool told;            /* that waits for the lock are seen in this process */

static ssize_t read_task(uint32_t tid, const char *what, char text[TEXT_BYTES])
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/self/task/%u/%s", tid, what);
	int fd = own_fd(open(path, O_RDONLY | O_CLOEXEC));
	ssize_t n = fd < 0 ? -1 : read(fd, text, TEXT_BYTES - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	return n;
}

/* Whoever waits for the lock sleeps in futex() on a word of it. Nobody else does: a thread that
 * waits for something else, while the lock is taken, is not held up by it. */
static bool waits_for(const struct python_lock *lock, uint32_t tid)
{
	char text[TEXT_BYTES];
	long number;
	unsigned long long word;
	return read_task(tid, "syscall", text) > 0 && sscanf(text, "%ld %llx", &number, &word) == 2 &&
		   number == SYS_futex && word >= lock->from && word < lock->to;
}

static uint32_t stranger(uint32_t tid)
{
	char name[TEXT_BYTES];
	for (unsigned i = 0; i < n_strangers && i < STRANGERS; i++)
		if (strangers[i].tid == tid)
			return strangers[i].thread;
	if (read_task(tid, "comm", name) <= 0)
		return 0;
	name[strcspn(name, "\n")] = 0;
	uint32_t thread = lane_thread_record_of(name, getpid(), tid);
	if (thread)
		strangers[n_strangers++ % STRANGERS] = (struct stranger){tid, thread};
	return thread;
}

/* The id of a thread: that of its ring if it has one. */
static uint32_t thread_of(uint32_t tid)
{
	uint32_t used = atomic_load(&live->lanes_used);
	for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES; i++) {
		struct baton_lane *lane = live_lane(i);
		uint32_t thread = atomic_load(&lane->thread);
		if (atomic_load(&lane->tid) == tid && !atomic_load(&lane->over) && thread &&
			thread != UINT32_MAX)
			return thread;
	}
	return stranger(tid);
}

/* From now on a row without a holder is no wait for the lock. */
static void tell_lock(uint32_t tid)
{
	char text[TEXT_BYTES];
	if (told || read_task(tid, "syscall", text) <= 0)
		return;
	const uint32_t key = dict_literal(BATON_META_PYTHON_LOCK), value = dict_literal("holder");
	struct baton_r_meta *row = key && value ? dict_reserve(sizeof(*row)) : NULL;
	if (!row)
		return; /* the next look tries again */
	row->key = key;
	row->value = value;
	dict_publish(row, BATON_R_META, sizeof(*row));
	told = true;
}

/* A row that waits for the lock always says so, also where the holder is not known. */
static uint32_t known_or_not(uint32_t thread)
{
	if (!thread && !unknown)
		unknown = lane_thread_record_of("a thread", getpid(), 0);
	return thread ? thread : unknown;
}

/* Another holder takes the row over when it has had the lock at more looks: the majority's vote. */
bool holder_look(struct holder *holder, const struct lane_owner *owner, uint32_t tid)
{
	struct python_lock lock;
	uint32_t holder_tid = 0;
	uint64_t pthread = 0;
	const void *python = atomic_load_explicit(&owner->python, memory_order_acquire);
	if (!python_lock_look(python, &lock))
		return false;
	tell_lock(tid);
	if (!lock.holder || lock.holder == python || !waits_for(&lock, tid))
		return false;
	if (holder->votes && holder->state != lock.holder) {
		holder->votes--;
		return true;
	}
	holder->votes++;
	bool now_and_then = (holder->votes & (holder->votes - 1)) == 0; /* looks cost, and may fail */
	if (holder->votes > 1 && (holder->stack || !now_and_then))
		return true;
	if (!python_lock_thread(lock.holder, &holder_tid, &pthread)) {
		if (holder->state != lock.holder || !holder->thread)
			*holder = (struct holder){
				.votes = holder->votes, .state = lock.holder, .thread = known_or_not(0)};
		return true;
	}
	holder->state = lock.holder;
	holder->thread = known_or_not(thread_of(holder_tid));
	holder->stack = stack_of(lock.holder, pthread);
	return true;
}

void holder_forget(void)
{
	n_strangers = unknown = 0;
	told = false;
}
