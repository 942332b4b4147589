#include "drain/trace_file.h"

#include "base/own.h"
#include "base/stop_point.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel may take less than all: a test lets it be a part each time. */
#ifdef SHIM_STOP_POINTS
#define PIECE(n) ((size_t)(n) > 700 ? (size_t)(n) / 2 : (size_t)(n))
#else
#define PIECE(n) ((size_t)(n))
#endif

static int fd = -1;
static char name[1200]; /* empty: this process has made none */
static dev_t device;
static ino_t inode;
static off_t bytes_written;

int trace_file_create(const char *path)
{
	struct stat st;
	int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_APPEND | O_CLOEXEC;
	int opened = own_fd(open(path, flags, 0600));
	if (opened < 0)
		return -errno;
	snprintf(name, sizeof(name), "%s", path);
	fstat(opened, &st);
	device = st.st_dev;
	inode = st.st_ino;
	bytes_written = 0;
	fd = opened;
	flock(fd,
		  LOCK_EX |
			  LOCK_NB); /* whoever salvages sees that we live, also from another pid namespace */
	return 0;
}

static int is_ours(int candidate)
{
	struct stat st;
	return candidate >= 0 && fstat(candidate, &st) == 0 && st.st_dev == device &&
		   st.st_ino == inode && st.st_nlink > 0;
}

static bool is_cut(void)
{
	struct stat st;
	return fstat(fd, &st) == 0 && st.st_size < bytes_written;
}

static int reopen(void)
{
	int again = own_fd(open(name, O_WRONLY | O_NOFOLLOW | O_APPEND | O_CLOEXEC));
	if (again < 0)
		return -errno;
	if (!is_ours(again)) { /* somebody removed it or put another in its place */
		close(again);
		return -ESTALE;
	}
	fd = again;
	flock(fd, LOCK_EX | LOCK_NB);
	return 0;
}

int trace_file_append(const void *data, size_t n)
{
	const char *at = data;
	int error = is_ours(fd) ? 0 : reopen();
	if (!error && is_cut())
		error = -ESTALE;
	off_t end = bytes_written + (off_t)n;
	STOP_POINT("write");
	while (!error && bytes_written < end) {
		ssize_t done = write(fd, at, PIECE(end - bytes_written));
		STOP_POINT("torn write");
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0) {
			error = done < 0 ? -errno : -EIO;
			break;
		}
		at += done;
		bytes_written += done;
	}
	if (error && bytes_written > end - (off_t)n) { /* a torn block at the end would be damage */
		bytes_written = end - (off_t)n;
		if (is_ours(fd) && ftruncate(fd, bytes_written) != 0)
			error = -errno;
	}
	return error;
}

int trace_file_close(void)
{
	int error = is_ours(fd) && close(fd) != 0 ? -errno : 0;
	fd = -1;
	return error;
}

void trace_file_remove(void)
{
	trace_file_close();
	if (name[0])
		unlink(name);
	name[0] = 0;
}

void trace_file_forget(void)
{
	if (is_ours(fd))
		close(fd);
	fd = -1;
	name[0] = 0; /* its parent's */
}
