/* The file is removed by its last holder, so who has locked a file that is gone begins again. What
 * it holds is the key of those who share it: whoever had it alone writes it, and reads it again
 * once others may have come, because turning a lock into a shared one gives it up for a moment. */
#include "record/output_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME ".baton-recording"
enum { TRIES = 200, PAUSE_US = 5000, KEY_CHARS = 16 };

static int held = -1, held_in = -1;
static bool unlocked; /* the file system has no locks: nobody can know who is the last holder */
static bool first;    /* the one who removes the file there */

static bool is_gone(int fd)
{
	struct stat st;
	return fstat(fd, &st) != 0 || st.st_nlink == 0;
}

static bool has_key(int fd, uint64_t key)
{
	char text[KEY_CHARS + 1] = "";
	return pread(fd, text, KEY_CHARS, 0) == KEY_CHARS && strtoull(text, NULL, 16) == key;
}

static int write_key(int fd, uint64_t key)
{
	char text[KEY_CHARS + 1];
	snprintf(text, sizeof(text), "%016" PRIx64, key);
	const ssize_t n = pwrite(fd, text, KEY_CHARS, 0);
	return n < 0 ? -errno : n == KEY_CHARS ? 0 : -EIO;
}

/* After a flock() that failed. */
static bool is_taken(void)
{
	unlocked = errno != EWOULDBLOCK;
	return !unlocked;
}

/* 0: it is ours; -EBUSY: another's; -EAGAIN: a member of our launch may be writing the key. */
static int lock_shared(int fd, uint64_t key)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		int error = write_key(fd, key);
		if (error)
			return error;
		if (flock(fd, LOCK_SH | LOCK_NB) != 0)
			return -EAGAIN;
		return has_key(fd, key) ? 0 : -EBUSY;
	}
	if (!is_taken())
		return 0;
	if (flock(fd, LOCK_SH | LOCK_NB) != 0)
		return -EAGAIN;
	return has_key(fd, key) ? 0 : -EBUSY;
}

static int lock_alone(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 || !is_taken())
		return 0;
	return -EBUSY;
}

int output_lock_take(int dirfd, uint64_t key, int rank)
{
	int error = -EAGAIN;
	first = !key || rank == 0;
	for (int tries = 0; tries < TRIES && error == -EAGAIN; tries++) {
		int fd = openat(dirfd, NAME, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
		if (fd < 0)
			return -errno;
		error = key ? lock_shared(fd, key) : lock_alone(fd);
		if (!error && is_gone(fd))
			error = -EAGAIN;
		held = error ? -1 : fd;
		if (error)
			close(fd);
		if (error == -EAGAIN)
			usleep(PAUSE_US);
	}
	if (held >= 0)
		held_in = fcntl(dirfd, F_DUPFD_CLOEXEC, 0);
	return error == -EAGAIN ? -EBUSY : error;
}

void output_lock_release(void)
{
	if (held < 0)
		return;
	const bool removes = unlocked ? first : flock(held, LOCK_EX | LOCK_NB) == 0;
	if (removes && held_in >= 0)
		unlinkat(held_in, NAME, 0);
	close(held);
	if (held_in >= 0)
		close(held_in);
	held = held_in = -1;
	unlocked = false;
}

int output_lock_task(const char *directory, const char *name)
{
	char *path = NULL;
	if (asprintf(&path, "%s/%s", directory, name) < 0)
		return -1;
	const int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	free(path);
	const bool taken = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (fd >= 0 && !taken && !is_gone(fd))
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}
