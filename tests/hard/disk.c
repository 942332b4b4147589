/* Preloaded before libbaton.so: the disk under its trace files. DISK is one of
 *   full:N[:K]   after N bytes there is no room; K writes later (never) there is again
 *   quota:N[:K]  the same of a user's quota
 *   eio:N        after N bytes every write fails
 *   short        a write takes half of what it is given
 *   eintr        every second write is interrupted before it has taken anything
 *   stall:MS     a write takes so long
 *   none         nothing happens
 * Only writes by libbaton.so count. DISK_COUNT: a file that gets the bytes written. */
#include "libs/recorder_code.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static enum { NONE, FULL, QUOTA, EIO_AFTER, SHORT, INTERRUPTED, STALL } how;
static long long limit, comes_back = -1;
static atomic_llong taken, refused, writes;

__attribute__((constructor)) static void prepare(void)
{
	const char *what = getenv("DISK");
	if (!what)
		return;
	if (sscanf(what, "full:%lld:%lld", &limit, &comes_back) >= 1)
		how = FULL;
	else if (sscanf(what, "quota:%lld:%lld", &limit, &comes_back) >= 1)
		how = QUOTA;
	else if (sscanf(what, "eio:%lld", &limit) == 1)
		how = EIO_AFTER;
	else if (sscanf(what, "stall:%lld", &limit) == 1)
		how = STALL;
	else
		how = strcmp(what, "short") == 0 ? SHORT : strcmp(what, "eintr") == 0 ? INTERRUPTED : NONE;
	dl_iterate_phdr(find_recorder, NULL);
}

__attribute__((destructor)) static void tell(void)
{
	const char *path = getenv("DISK_COUNT");
	char text[32];
	int n = snprintf(text, sizeof(text), "%lld\n", (long long)taken);
	int fd = path && recorder_code.end
				 ? (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT, 0600)
				 : -1;
	if (fd >= 0 && syscall(SYS_write, fd, text, n) == n)
		syscall(SYS_close, fd);
}

static ssize_t really(int fd, const void *data, size_t n)
{
	ssize_t done = syscall(SYS_write, fd, data, n);
	if (done > 0)
		taken += done;
	return done;
}

static ssize_t refuse(int error)
{
	errno = error;
	return -1;
}

static ssize_t until_full(int fd, const void *data, size_t n)
{
	long long room = limit - taken;
	if (comes_back >= 0 && refused >= comes_back)
		room = (long long)n;
	if (room > 0)
		return really(fd, data, (long long)n < room ? n : (size_t)room);
	refused++;
	return refuse(how == FULL ? ENOSPC : how == QUOTA ? EDQUOT : EIO);
}

EXPORT ssize_t write(int fd, const void *data, size_t n)
{
	uintptr_t from = (uintptr_t)__builtin_return_address(0);
	struct timespec pause = {limit / 1000, limit % 1000 * 1000000};
	if (from < recorder_code.begin || from >= recorder_code.end || fd <= 2)
		return syscall(SYS_write, fd, data, n);
	long long number = writes++;
	switch (how) {
	case FULL:
	case QUOTA:
	case EIO_AFTER:
		return until_full(fd, data, n);
	case SHORT:
		return really(fd, data, n > 1 ? n / 2 : n);
	case INTERRUPTED:
		return number % 2 ? really(fd, data, n) : refuse(EINTR);
	case STALL:
		nanosleep(&pause, NULL);
		return really(fd, data, n);
	default:
		return really(fd, data, n);
	}
}
