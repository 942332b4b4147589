#include "drain/trace_file.h"

#include "base/own.h"
#include "base/stop_point.h"

#include <baton/format.h>
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

static struct {  /* the next file */
	int fd, old; /* its own; the trace, to be read. -1: closed */
	dev_t device;
	ino_t inode;
	off_t bytes;
	bool is_there;
	int given_up; /* -errno of the trace, which needed its room */
} next = {.fd = -1, .old = -1};

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

/* A job that closes all descriptors may have put its own in the place of one. */
static bool is_file(int candidate, dev_t on, ino_t number)
{
	struct stat st;
	return candidate >= 0 && fstat(candidate, &st) == 0 && st.st_dev == on && st.st_ino == number;
}

static bool is_ours(int candidate)
{
	struct stat st;
	return is_file(candidate, device, inode) && fstat(candidate, &st) == 0 && st.st_nlink > 0;
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

/* *written counts what has come into the file, whatever the result. */
static int write_all(int to, const void *data, size_t n, off_t *written)
{
	const char *at = data;
	while (n > 0) {
		ssize_t done = write(to, at, PIECE(n));
		STOP_POINT("torn write");
		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		at += done;
		n -= (size_t)done;
		*written += done;
	}
	return 0;
}

static int append(const void *data, size_t n)
{
	int error = is_ours(fd) ? 0 : reopen();
	if (!error && is_cut())
		error = -ESTALE;
	off_t end = bytes_written + (off_t)n;
	STOP_POINT("write");
	if (!error)
		error = write_all(fd, data, n, &bytes_written);
	if (error && bytes_written > end - (off_t)n) { /* a torn block at the end would be damage */
		bytes_written = end - (off_t)n;
		if (is_ours(fd) && ftruncate(fd, bytes_written) != 0)
			error = -errno;
	}
	return error;
}

/* A copy that is not finished is worth less than what has no room because of it. */
static bool make_room(int error)
{
	if (!next.is_there || (error != -ENOSPC && error != -EDQUOT))
		return false;
	trace_file_next_remove();
	next.given_up = error;
	return true;
}

int trace_file_append(const void *data, size_t n)
{
	const int error = append(data, n);
	return error && make_room(error) ? append(data, n) : error;
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
	trace_file_next_close();
	next.is_there = false;
	name[0] = 0; /* its parent's */
}

/* ---- the next file ---- */

off_t trace_file_bytes(void)
{
	return bytes_written;
}

int trace_file_read(off_t at, void *bytes, size_t n)
{
	if (!is_file(next.old, device, inode))
		return -ESTALE;
	for (size_t done = 0; done < n;) {
		const ssize_t got = pread(next.old, (char *)bytes + done, n - done, at + (off_t)done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EBADMSG;
		done += (size_t)got;
	}
	return 0;
}

static void next_name(char path[sizeof(name) + 8])
{
	snprintf(path, sizeof(name) + 8, "%s.keep", name);
}

static int next_open(int flags)
{
	char path[sizeof(name) + 8];
	next_name(path);
	next.old = own_fd(open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
	if (next.old < 0)
		return -errno;
	if (!is_ours(next.old)) {
		close(next.old);
		next.old = -1;
		return -ESTALE;
	}
	next.fd = own_fd(open(path, flags | O_WRONLY | O_NOFOLLOW | O_APPEND | O_CLOEXEC, 0600));
	next.is_there |= next.fd >= 0;
	return next.fd < 0 ? -errno : 0;
}

int trace_file_next_create(void)
{
	char header[sizeof(struct baton_file_header)];
	struct stat st;
	trace_file_next_remove();
	int error = next_open(O_CREAT | O_EXCL);
	if (!error && fstat(next.fd, &st) != 0)
		error = -errno;
	if (error)
		return error;
	next.device = st.st_dev;
	next.inode = st.st_ino;
	next.bytes = 0;
	next.given_up = 0;
	error = trace_file_read(0, header, sizeof(header));
	return error ? error : trace_file_next_append(header, sizeof(header));
}

int trace_file_next_open(void)
{
	struct stat st;
	const int error = next.given_up ? next.given_up : next_open(0);
	if (error)
		return error;
	if (is_file(next.fd, next.device, next.inode) && fstat(next.fd, &st) == 0 &&
		st.st_size == next.bytes)
		return 0;
	close(next.fd);
	next.fd = -1;
	return -ESTALE;
}

void trace_file_next_close(void)
{
	if (is_file(next.fd, next.device, next.inode))
		close(next.fd);
	if (is_file(next.old, device, inode))
		close(next.old);
	next.fd = next.old = -1;
}

int trace_file_next_append(const void *data, size_t n)
{
	STOP_POINT("keep next");
	return is_file(next.fd, next.device, next.inode) ? write_all(next.fd, data, n, &next.bytes)
													 : -ESTALE;
}

off_t trace_file_next_bytes(void)
{
	return next.bytes;
}

/* It is locked before it has the name: a salvage finds no moment without a lock. */
int trace_file_next_becomes(void)
{
	char path[sizeof(name) + 8];
	int error = trace_file_next_open();
	const bool is_open = is_ours(fd);
	next_name(path);
	if (!error)
		flock(next.fd, LOCK_EX | LOCK_NB);
	if (!error && rename(path, name) != 0)
		error = -errno;
	if (!error) {
		if (is_open)
			close(fd);
		if (is_file(next.old, device, inode))
			close(next.old);
		next.old = -1;
		next.is_there = false;
		fd = next.fd;
		device = next.device;
		inode = next.inode;
		bytes_written = next.bytes;
		next.fd = -1;
	}
	trace_file_next_close();
	return error;
}

void trace_file_next_remove(void)
{
	char path[sizeof(name) + 8];
	next_name(path);
	if (name[0])
		unlink(path);
	next.is_there = false;
}
