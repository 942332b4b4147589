#include "import/staging.h"

#include "read/paths.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Calls `act` for every trace (or, when all, everything) in a directory; the first -errno, else
 * how many there are. */
static int for_each(const char *path, bool all,
					int (*act)(int dirfd, const char *name, int context), int context)
{
	DIR *dir = opendir(path);
	int n = 0, error = 0;
	if (!dir)
		return -errno;
	for (struct dirent *e; (e = readdir(dir));) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
			!(all || paths_is_trace(e->d_name)))
			continue;
		n++;
		if (act && act(dirfd(dir), e->d_name, context) != 0 && !error)
			error = -errno;
	}
	closedir(dir);
	return error ? error : n;
}

static int remove_one(int dirfd, const char *name, int context)
{
	(void)context;
	return unlinkat(dirfd, name, 0);
}

static int move_one(int dirfd, const char *name, int target)
{
	return renameat(dirfd, name, target, name);
}

int staging_count(const char *dir)
{
	return for_each(dir, false, NULL, 0);
}

static int remove_any(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status;
	(void)kind;
	(void)at;
	remove(path); /* what is left shows at the end */
	return 0;
}

#define NAME ".importing."

/* A directory without a holder (hold()) is that of an import which was killed. */
static int remove_stale(int dirfd, const char *name, int context)
{
	(void)context;
	if (strncmp(name, NAME, sizeof(NAME) - 1) != 0)
		return 0;
	const int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char path[64];
	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d/.", fd);
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		nftw(path, remove_any, 8, FTW_DEPTH | FTW_PHYS);
		unlinkat(dirfd, name, AT_REMOVEDIR);
	}
	close(fd);
	return 0;
}

void staging_sweep(const char *dir)
{
	for_each(dir, true, remove_stale, 0);
}

/* Until the program ends, so the descriptor is not kept. Where the file system has no such locks
 * nothing is ever taken for stale. False: somebody removed the directory first, or is about to. */
static bool hold(const char *path)
{
	struct stat held, now;
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	const bool taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (!taken && fstat(fd, &held) == 0 && stat(path, &now) == 0 && held.st_ino == now.st_ino)
		return true;
	close(fd);
	return false;
}

int staging_open(const char *dir, char **path)
{
	enum { TRIES = 64 }; /* numbers of processes repeat between containers */
	int error = -EEXIST;
	staging_sweep(dir);
	for (int i = 0; i < TRIES && (error == -EEXIST || error == -ENOENT); i++) {
		if (asprintf(path, "%s/" NAME "%d.%d", dir, (int)getpid(), i) < 0) {
			*path = NULL;
			return -ENOMEM;
		}
		error = mkdir(*path, 0700) != 0 ? -errno : hold(*path) ? 0 : -ENOENT;
		if (!error)
			return 0;
		free(*path);
		*path = NULL;
	}
	return error;
}

int staging_publish(char *path, const char *dir)
{
	int target = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int n = target < 0 ? -errno : for_each(dir, false, remove_one, 0);
	if (n >= 0)
		n = for_each(path, false, move_one, target);
	if (target >= 0)
		close(target);
	staging_discard(path);
	return n < 0 ? n : 0;
}

bool staging_remove(const char *path)
{
	nftw(path, remove_any, 8, FTW_DEPTH | FTW_PHYS);
	return access(path, F_OK) != 0 && errno == ENOENT;
}

void staging_discard(char *path)
{
	staging_remove(path);
	free(path);
}

static int write_all(int fd, const char *at, size_t bytes)
{
	while (bytes > 0) {
		const ssize_t n = write(fd, at, bytes);
		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

int staging_copy(const char *path, int fd, char **copy)
{
	enum { AT_ONCE = 1 << 18 };
	char *room = malloc(AT_ONCE);
	int error = room && asprintf(copy, "%s/standard input", path) >= 0 ? 0 : -ENOMEM;
	const int to = error ? -1 : open(*copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (!error && to < 0)
		error = -errno;
	for (ssize_t n = 1; !error && n != 0;) {
		n = read(fd, room, AT_ONCE);
		if (n > 0)
			error = write_all(to, room, (size_t)n);
		else if (n < 0 && errno != EINTR)
			error = -errno;
	}
	/* the same bytes are the same import, whenever they come */
	if (!error && futimens(to, (struct timespec[2]){{0}, {0}}) != 0)
		error = -errno;
	if (to >= 0 && close(to) != 0 && !error)
		error = -errno;
	free(room);
	return error;
}
