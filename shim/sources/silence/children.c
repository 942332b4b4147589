#include "sources/silence/children.h"

#include "base/clock.h"
#include "base/own.h"
#include "ring/lane.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EVERY_NS 100000000

/* RECORDS_MOST: a job that starts processes all its life must not use up the room for names. */
enum { CHILDREN = 64, LIST_BYTES = 2048, RECORDS_MOST = 4096 };

static struct child {
	int pid;         /* 0: free */
	uint32_t thread; /* its record */
	bool seen;       /* in this look */
	uint64_t ran_ns, waited_ns, ticks;
	int64_t ns;
} children[CHILDREN];
static int64_t next_ns;
static unsigned n_records;

static ssize_t read_file(const char *path, char *to, size_t room)
{
	int fd = own_fd(open(path, O_RDONLY | O_CLOEXEC));
	ssize_t n = fd < 0 ? -1 : read(fd, to, room - 1);
	if (fd >= 0)
		close(fd);
	to[n > 0 ? n : 0] = 0;
	return n;
}

static int64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* It has ended, and its parent has not asked how. */
static bool is_zombie(int pid)
{
	char path[40], text[96];
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (read_file(path, text, sizeof(text)) <= 0)
		return false;
	const char *state = strrchr(text, ')');
	return state && state[1] == ' ' && (state[2] == 'Z' || state[2] == 'X');
}

/* The CPU clock of another process, all threads: clock_getcpuclockid() without its errors. The time
 * without a core is its main thread's. False: it is gone. */
static bool account(const struct child *child, uint64_t *ran_ns, uint64_t *waited_ns)
{
	char path[40], text[96];
	struct timespec t;
	unsigned long long waited = 0;
	snprintf(path, sizeof(path), "/proc/%d/schedstat", child->pid);
	if (read_file(path, text, sizeof(text)) <= 0 || sscanf(text, "%*u %llu", &waited) != 1 ||
		clock_gettime((clockid_t)(~(unsigned)child->pid << 3 | 2), &t) != 0)
		return false;
	*ran_ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	*waited_ns = waited;
	return true;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void put_row(const struct child *from, const struct child *to)
{
	struct baton_lane *lane = lane_here();
	uint64_t length = (uint64_t)(to->ns - from->ns);
	uint64_t ran = least(to->ran_ns - from->ran_ns, length);
	uint64_t waited = least(to->waited_ns - from->waited_ns, length - ran);
	uint64_t slept = length - ran - waited;
	if (lane)
		lane_put(lane, (struct baton_slot){.begin = from->ticks,
										   .end = to->ticks,
										   .name = to->thread,
										   .type = BATON_SLOT_SCHED,
										   .correlation = (uint32_t)least(slept, UINT32_MAX),
										   .stack = (uint32_t)least(waited, UINT32_MAX)});
}

static struct child *find(int pid)
{
	struct child *unused = NULL;
	for (int i = 0; i < CHILDREN; i++) {
		if (children[i].pid == pid)
			return &children[i];
		if (!children[i].pid && !unused)
			unused = &children[i];
	}
	return unused;
}

static void look_at(int pid)
{
	struct child *known = find(pid);
	if (!known)
		return;
	struct child now = *known;
	bool new = !now.pid;
	now.pid = pid;
	now.seen = true;
	now.ns = monotonic_ns();
	now.ticks = clock_ticks();
	if ((new &&n_records == RECORDS_MOST) || is_zombie(pid) ||
		!account(&now, &now.ran_ns, &now.waited_ns))
		return;
	if (new) {
		char path[40], name[32];
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		read_file(path, name, sizeof(name));
		name[strcspn(name, "\n")] = 0;
		now.thread = lane_thread_record_of(name, pid, pid);
		n_records++;
	} else if (now.ran_ns >= known->ran_ns && now.waited_ns >= known->waited_ns) {
		put_row(known, &now); /* else another process has its number */
	}
	if (now.thread)
		*known = now;
}

/* Those that the main thread started: where workers come from. */
void children_look(int64_t now_ns)
{
	char path[48], list[LIST_BYTES];
	if (now_ns < next_ns)
		return;
	next_ns = now_ns + EVERY_NS;
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	ssize_t n = read_file(path, list, sizeof(list));
	if (n == LIST_BYTES - 1) /* the last one may be cut */
		list[strrchr(list, ' ') ? strrchr(list, ' ') - list : 0] = 0;
	for (int i = 0; i < CHILDREN; i++)
		children[i].seen = false;
	char *at = list;
	for (long pid; (pid = strtol(at, &at, 10)) > 0;)
		look_at((int)pid);
	for (int i = 0; i < CHILDREN; i++)
		if (!children[i].seen)
			children[i] = (struct child){0};
}

void children_forget(void)
{
	memset(children, 0, sizeof(children));
	next_ns = 0;
	n_records = 0;
}
