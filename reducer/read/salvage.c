#include "read/salvage.h"

#include "base/diag.h"
#include "base/started.h"
#include "read/drain_live.h"
#include "read/live_file.h"
#include "read/written.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is it the same process, not another one with its number? A program image that exec has replaced
 * counts as running: its live file is salvaged when the process ends. */
static bool is_running(const struct baton_live *live)
{
	return started_at(live->pid) == live->start_time && live->start_time != 0;
}

static bool is_in(const char *trace, const char *directory)
{
	size_t n = strlen(directory);
	while (n > 1 && directory[n - 1] == '/')
		n--;
	return strncmp(trace, directory, n) == 0 && trace[n] == '/' && !strchr(trace + n + 1, '/');
}

static void drain(int fd, const struct baton_live *live, const char *path,
				  struct salvage_result *result)
{
	struct drained drained;
	int error = drain_live_file(fd, live->trace, &drained);
	if (error && error != -ENOENT) { /* without its trace file it says nothing to anybody */
		diag("%s: the last records of process %" PRIu64 " cannot be added to %s: %s", path,
			 live->pid, live->trace,
			 error == -EBADMSG ? "one of the two files is damaged" : strerror(-error));
		result->failed++;
		result->waiting += drained.slots;
		snprintf(result->waiting_in, sizeof(result->waiting_in), "%.*s",
				 (int)(strrchr(path, '/') - path), path);
		result->lost_launches += drained.dropped_launches;
		result->lost_others += drained.dropped_others + drained.gpu_dropped;
		return;
	}
	if (drained.bad_rings || drained.bad_slots)
		diag("%s: %" PRIu64 " of its rings and %" PRIu64
			 " of its records are damaged: they are lost",
			 path, drained.bad_rings, drained.bad_slots);
	result->failed += drained.bad_rings || drained.bad_slots;
	unlink(path);
	if (error || atomic_load(&live->closed)) /* killed between closing its trace and removing it */
		return;
	result->files++;
	result->slots += drained.slots;
	result->in_flight += drained.in_flight;
}

/* /dev/shm is everybody's: what another user has put there is not looked into. */
static bool is_own_file(int fd, struct stat *st)
{
	return fstat(fd, st) == 0 && S_ISREG(st->st_mode) && st->st_uid == geteuid();
}

/* A live file for a trace of this directory? (There may be those of other runs, and anything.) */
static bool read_header(int fd, const char *directory, struct baton_live *live)
{
	return pread(fd, live, sizeof(*live), 0) == sizeof(*live) &&
		   memcmp(live->magic, BATON_LIVE_MAGIC, sizeof(live->magic)) == 0 &&
		   memchr(live->trace, 0, sizeof(live->trace)) && is_in(live->trace, directory);
}

static const char *last_part(const char *path)
{
	return strrchr(path, '/') + 1;
}

/* A file that a run directory brought along may name any file as its trace, and a salvage writes
 * over it: it has to be the trace of the process that the header tells of, as its own name has. */
static const char *fault_of(const struct baton_live *live, const char *path, const struct stat *st)
{
	char id[LIVE_FILE_ID_BYTES], name[sizeof(id) + 32];
	live_file_id(live, id);
	snprintf(name, sizeof(name), "%s.baton", id);
	const char *own = strchr(last_part(path) + strlen("baton-"), '-'); /* after the user's number */
	bool named = strcmp(last_part(live->trace), name) == 0 && own &&
				 strncmp(own + 1, id, strlen(id)) == 0 &&
				 strcmp(own + 1 + strlen(id), ".live") == 0;
	return named ? live_file_fault(live, (uint64_t)st->st_size)
				 : "a live file of another process than its name and its trace say";
}

/* False: somebody has it. A file system that has no locks keeps nothing from being salvaged. */
static bool lock(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/* A process that records holds a lock on its trace file, so it is seen from other pid namespaces (a
 * container's) too. The salvage holds it while it works. -1: somebody has it; -2: there is no such
 * file; -3: it cannot be opened, or is a link. */
static int lock_trace(const char *trace)
{
	int fd = open(trace, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -2 : -3;
	struct stat st;
	if (lock(fd) && (fstat(fd, &st) != 0 || st.st_nlink > 0))
		return fd;
	close(fd); /* somebody has it; or has just put another file in its place (--keep-last) */
	return -1;
}

static void salvage_one(int fd, const struct baton_live *live, const char *path,
						struct salvage_result *result)
{
	struct stat st;
	int trace = lock_trace(live->trace);
	if (trace == -1) {
		result->running++;
	} else if (trace == -3) {
		diag("%s: the trace of %s cannot be opened", live->trace, path);
		result->failed++;
	} else if (lock(fd) && is_own_file(fd, &st) && st.st_nlink > 0) {
		drain(fd, live, path, result); /* no other salvage has done it in the meantime */
	}
	if (trace >= 0)
		close(trace);
}

static void look_at(const char *path, const char *directory, struct salvage_result *result)
{
	struct baton_live live;
	struct stat st;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC); /* a FIFO must not hang */
	if (fd < 0)
		return;
	const char *fault = NULL;
	if (is_own_file(fd, &st) && read_header(fd, directory, &live)) {
		fault = fault_of(&live, path, &st);
		if (!fault && is_running(&live))
			result->running++;
		else if (!fault)
			salvage_one(fd, &live, path, result);
	}
	if (fault) {
		diag_at(path, 0, "%s: it is left alone", fault);
		result->failed++;
	}
	close(fd);
}

static void look_in(const char *place, const char *directory, struct salvage_result *result)
{
	DIR *dir = place && *place ? opendir(place) : NULL;
	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		char path[4096];
		size_t n = strlen(e->d_name);
		if (strncmp(e->d_name, "baton-", 6) != 0 || n < 11 ||
			strcmp(e->d_name + n - 5, ".live") != 0)
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", place, e->d_name) < (int)sizeof(path))
			look_at(path, directory, result);
	}
	closedir(dir);
}

/* A trace without a byte in it: the process was killed between making and filling it. */
static void remove_empty(const char *directory)
{
	DIR *dir = opendir(directory);
	if (!dir)
		return;
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		struct stat st;
		if (fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size == 0 &&
			written_by_gone(e->d_name))
			unlinkat(dirfd(dir), e->d_name, 0);
	}
	closedir(dir);
}

int salvage_directory(const char *directory, struct salvage_result *result)
{
	const char *places[] = {getenv("BATON_RING_DIR"), "/dev/shm", getenv("TMPDIR"), directory};
	*result = (struct salvage_result){0};
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		bool seen = false;
		for (size_t j = 0; j < i; j++)
			seen |= places[j] && places[i] && strcmp(places[i], places[j]) == 0;
		if (!seen)
			look_in(places[i], directory, result);
	}
	remove_empty(directory);
	return 0;
}
