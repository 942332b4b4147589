/* A process that records is killed at chosen and at random moments, a thousand times; what it had
 * recorded is all there after the salvage: every slot whose put had returned, no slot twice, every
 * file closed and without damage. Counted by the process itself in memory that outlives it. Built
 * with the shim's stop points. */
#include "check.h"

#include "base/clock.h"
#include "base/config.h"
#include "base/stop_point.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "session.h"

#include "read/salvage.h"

#include <baton/reader.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* GCC's sanitizers before 14 do not hold their allocator's locks over fork(): a child that was
 * forked while another thread allocated waits for ever in malloc. It is ended, which is a kill like
 * others. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { CHILD_MAY_HANG = true };
#else
enum { CHILD_MAY_HANG = false };
#endif
enum { THREADS = 3, KILLS = 1000, KEEP_NS = 7000000, KEEP_MOST_MS = 5000,
	   CHILD_SECONDS = CHILD_MAY_HANG ? 2 : 30 };

static struct shared {
	_Atomic uint64_t put[THREADS * 8]; /* a cache line each */
	_Atomic uint64_t short_lived;      /* of threads that come and go */
	_Atomic uint64_t in_child;         /* of the forked child */
} * shared;

static uint64_t shortened; /* files that held the last part of a process alone */
static const char *armed;     /* the point at which this process dies */
static _Atomic int countdown; /* how often it is passed before */

void stop_point(const char *name)
{
	if (armed && strcmp(name, armed) == 0 && atomic_fetch_sub(&countdown, 1) == 1)
		kill(getpid(), SIGKILL);
}

static void put_one(uint32_t i)
{
	struct baton_lane *lane = lane_here();
	if (!lane)
		return;
	struct baton_slot slot = {.begin = clock_ticks(),
							  .name = dict_literal("cudaLaunchKernel"),
							  .type = BATON_SLOT_CALL,
							  .flags = BATON_SLOT_MAKES_OP,
							  .correlation = i + 1};
	slot.end = clock_ticks();
	lane_put(lane, slot);
}

static void *put_for_ever(void *data)
{
	_Atomic uint64_t *count = data;
	for (uint32_t i = 0;; i++) {
		put_one(i);
		atomic_fetch_add(count, 1);
		if (i % 256 == 0)
			usleep(20);
	}
	return NULL;
}

static void *put_a_few(void *unused)
{
	for (uint32_t i = 0; i < 40; i++) {
		put_one(i);
		atomic_fetch_add(&shared->short_lived, 1);
	}
	return unused;
}

/* Records until it is killed: three threads that stay, others that come and go, a fork now and
 * then. */
static void victim(void)
{
	pthread_t thread;
	session_configure();
	if (armed && strncmp(armed, "keep", 4) == 0)
		config.keep_ns = KEEP_NS; /* BATON_KEEP_LAST has no shorter time than a second */
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread, NULL, put_for_ever, &shared->put[8 * i]);
	for (int i = 0;; i++) {
		if (pthread_create(&thread, NULL, put_a_few, NULL) == 0)
			pthread_join(thread, NULL);
		pid_t child = i % 16 == 7 ? fork() : -1;
		if (child == 0) {
			alarm(CHILD_SECONDS);
			for (uint32_t k = 0; k < 10; k++) {
				put_one(k);
				atomic_fetch_add(&shared->in_child, 1);
			}
			_exit(0);
		}
		if (child > 0)
			waitpid(child, NULL, 0);
		usleep(300);
	}
}

/* ---- what is there afterwards ---- */

struct found {
	uint64_t calls, lost, before, files, damaged;
};

static void count_records(const uint8_t *raw, size_t bytes, struct found *found)
{
	struct baton_record head;
	for (size_t at = 0; at + sizeof(head) <= bytes; at += head.size) {
		memcpy(&head, raw + at, sizeof(head));
		if (head.size < sizeof(head))
			return;
		if (head.type == BATON_R_LOSS) {
			struct baton_r_loss row;
			memcpy(&row, raw + at, sizeof(row));
			found->lost += row.kind == BATON_LOSS_DROPPED ? row.count : 0;
		} else if (head.type == BATON_R_KEPT) {
			struct baton_r_kept row;
			memcpy(&row, raw + at, sizeof(row));
			found->before += row.launches;
			shortened++;
		}
	}
}

static void count_file(int dirfd, const char *name, struct found *found)
{
	struct baton_reader reader;
	found->files++;
	if (baton_reader_open(&reader, dirfd, name) != 0) {
		found->damaged++;
		return;
	}
	for (size_t i = 0; i < reader.n_entries; i++) {
		struct baton_block_header header;
		enum baton_damage damage;
		found->damaged += reader.entries[i].damage != BATON_INTACT;
		if (reader.entries[i].kind == BATON_CALL)
			found->calls += reader.entries[i].rows;
		if (reader.entries[i].kind != BATON_RECORDS)
			continue;
		baton_reader_load(&reader, reader.entries[i].offset, &header, &damage);
		count_records(reader.raw, header.raw_bytes, found);
	}
	found->damaged += !reader.closed;
	baton_reader_close(&reader);
}

static struct found count_directory(const char *path, bool remove)
{
	struct found found = {0};
	DIR *dir = opendir(path);
	for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		if (remove)
			unlinkat(dirfd(dir), e->d_name, 0);
		else
			count_file(dirfd(dir), e->d_name, &found);
	}
	closedir(dir);
	return found;
}

static void kill_once(const char *directory, unsigned seed, const char *point)
{
	struct salvage_result salvaged;
	memset(shared, 0, sizeof(*shared));
	pid_t pid = fork();
	if (pid == 0) {
		armed = point;
		atomic_store(&countdown,
					 1 + (int)(seed % 5) * (point && strcmp(point, "slot") == 0 ? 777 : 1));
		victim();
	}
	/* the named points come soon, or (a thread that never ends; "keep", which is none) not at all;
	 * those of shortening come with its moments, late where all cores are busy */
	const bool keeps = point && strncmp(point, "keep ", 5) == 0;
	const unsigned most = keeps ? KEEP_MOST_MS : 40 + seed % 60;
	for (unsigned waited = 0; waited < most; waited++) {
		if (waitpid(pid, NULL, WNOHANG) == pid) {
			pid = 0;
			break;
		}
		usleep(1000);
	}
	if (pid) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	int status; /* a forked child of it, which is ours now, may still be at work */
	while (waitpid(-1, &status, 0) > 0)
		CHECK(CHILD_MAY_HANG || !WIFSIGNALED(status) || WTERMSIG(status) != SIGALRM,
			  "kill %u: a forked child was at work for %d s", seed, CHILD_SECONDS);
	salvage_directory(directory, &salvaged);
	struct found found = count_directory(directory, false);
	uint64_t put = shared->short_lived + shared->in_child;
	for (int i = 0; i < THREADS; i++)
		put += shared->put[8 * i];
	const uint64_t all_found = found.calls + found.lost + found.before;
	bool all = all_found >= put && all_found <= put + THREADS + 2;
	const char *where = point ? point : "any moment";
	CHECK(all, "kill %u at '%s': put %llu, found %llu + %llu lost + %llu left out in %llu files", seed,
		  where, (unsigned long long)put, (unsigned long long)found.calls,
		  (unsigned long long)found.lost, (unsigned long long)found.before,
		  (unsigned long long)found.files);
	CHECK(found.damaged == 0, "kill %u at '%s': %llu damaged", seed, where,
		  (unsigned long long)found.damaged);
	CHECK(salvaged.failed == 0, "kill %u at '%s': salvage failed", seed, where);
	count_directory(directory, true);
}

int main(int argc, char **argv)
{
	static const char *const points[] = {NULL,      "slot",  "write", "torn write",
										 "written", "tails", "lane",  "thread end",
										 "fork",    "begin", "room",  "unfinished",
										 "keep", "keep begun", "keep next", "keep copied",
										 "keep over"};
	enum { POINTS = sizeof(points) / sizeof(points[0]) };
	unsigned kills = argc > 1 ? (unsigned)atoi(argv[1]) : KILLS;
	unsigned first = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	char directory[] = "/tmp/baton-kill-XXXXXX";
	if (!mkdtemp(directory))
		return 1;
	setenv("BATON_OUT", directory, 1);
	setenv("BATON_RING_SLOTS", "1024", 1); /* rings wrap, and overflow */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = first; i < first + kills; i++)
		kill_once(directory, i / POINTS, points[i % POINTS]);
	CHECK(shortened > kills / POINTS, "%llu files were shortened", (unsigned long long)shortened);
	CHECK(rmdir(directory) == 0, "%s is not empty", directory);
	return finish();
}
