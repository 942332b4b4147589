/* Preloaded before libbaton.so: makes the Nth call of one function fail, of the calls that
 * libbaton.so itself makes. INJECT is FUNCTION:N. The file INJECT_COUNT, if it is set, has a row
 * for each function, all processes of the job write to it as they call: the most calls that one of
 * them has made so far, its parents' before it included. A child of a process that makes no calls
 * itself begins anew with inject_begin(). */
#include "libs/recorder_code.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define FROM __builtin_return_address(0)

static char function[32];
static long fails_at;

enum { FUNCTIONS = 64 };
static struct {
	_Atomic(const char *) name;
	atomic_long calls;
} counts[FUNCTIONS];

static struct row { /* of the file INJECT_COUNT */
	atomic_int taken, named;
	char name[24];
	atomic_long most;
} * rows;

static void share(const char *path)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
	long size = FUNCTIONS * sizeof(*rows);
	long at = fd < 0 || syscall(SYS_ftruncate, fd, size) != 0
				  ? -1
				  : syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0L);
	if (fd >= 0)
		syscall(SYS_close, fd);
	rows = at == -1 ? NULL : (struct row *)at; /* NOLINT */
}

/* Calls are counted from here on; `what` is as INJECT. */
EXPORT void inject_begin(const char *what)
{
	const char *colon = what ? strchr(what, ':') : NULL;
	if (!colon || (size_t)(colon - what) >= sizeof(function))
		return;
	for (int i = 0; i < FUNCTIONS; i++)
		atomic_store(&counts[i].calls, 0);
	memset(function, 0, sizeof(function));
	memcpy(function, what, (size_t)(colon - what));
	fails_at = atol(colon + 1);
}

__attribute__((constructor)) static void prepare(void)
{
	const char *path = getenv("INJECT_COUNT");
	if (!getenv("INJECT"))
		return;
	if (path)
		share(path);
	inject_begin(getenv("INJECT"));
	dl_iterate_phdr(find_recorder, NULL);
}

static void note(const char *name, long n)
{
	for (int i = 0; rows && i < FUNCTIONS; i++) {
		struct row *row = &rows[i];
		if (!atomic_exchange(&row->taken, 1)) {
			strncpy(row->name, name, sizeof(row->name) - 1);
			atomic_store(&row->named, 1);
		}
		while (!atomic_load(&row->named))
			sched_yield();
		if (strcmp(row->name, name) != 0)
			continue;
		for (long most = atomic_load(&row->most); n > most;)
			if (atomic_compare_exchange_weak(&row->most, &most, n))
				break;
		return;
	}
}

/* The number of this call of the function `name`, which is one constant. */
static long count(const char *name)
{
	for (int i = 0; i < FUNCTIONS; i++) {
		const char *there = NULL;
		if (atomic_compare_exchange_strong(&counts[i].name, &there, name) || there == name)
			return atomic_fetch_add(&counts[i].calls, 1) + 1;
	}
	return 0;
}

static bool fails(const char *name, const void *from)
{
	uintptr_t at = (uintptr_t)from;
	if (at < recorder_code.begin || at >= recorder_code.end)
		return false;
	long n = count(name);
	note(name, n);
	return n == fails_at && strcmp(name, function) == 0;
}

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* A function whose failure is the value `bad`, with errno. */
#define FAILING(type, name, bad, error, parameters, values) \
	EXPORT type name parameters                             \
	{                                                       \
		static type(*next) parameters;                      \
		if (fails(#name, FROM)) {                           \
			errno = error;                                  \
			return bad;                                     \
		}                                                   \
		if (!next)                                          \
			next = (type(*) parameters)real(#name);         \
		return next values;                                 \
	}

FAILING(void *, mmap, MAP_FAILED, ENOMEM, (void *a, size_t n, int p, int f, int fd, off_t o),
		(a, n, p, f, fd, o))
FAILING(int, munmap, -1, ENOMEM, (void *a, size_t n), (a, n))
FAILING(int, madvise, -1, EINVAL, (void *a, size_t n, int advice), (a, n, advice))
FAILING(ssize_t, write, -1, ENOSPC, (int fd, const void *b, size_t n), (fd, b, n))
FAILING(ssize_t, read, -1, EIO, (int fd, void *b, size_t n), (fd, b, n))
FAILING(ssize_t, pread, -1, EIO, (int fd, void *b, size_t n, off_t o), (fd, b, n, o))
FAILING(int, ftruncate, -1, EFBIG, (int fd, off_t n), (fd, n))
FAILING(int, posix_fallocate, ENOSPC, ENOSPC, (int fd, off_t o, off_t n), (fd, o, n))
FAILING(int, flock, -1, ENOLCK, (int fd, int how), (fd, how))
FAILING(int, statfs, -1, EACCES, (const char *path, struct statfs *s), (path, s))
FAILING(int, statvfs, -1, EACCES, (const char *path, struct statvfs *s), (path, s))
FAILING(int, unlink, -1, EACCES, (const char *path), (path))
FAILING(int, access, -1, EACCES, (const char *path, int how), (path, how))
FAILING(DIR *, opendir, NULL, EMFILE, (const char *path), (path))
FAILING(ssize_t, readlink, -1, EACCES, (const char *path, char *b, size_t n), (path, b, n))
FAILING(char *, realpath, NULL, EACCES, (const char *path, char *b), (path, b))
FAILING(int, setenv, -1, ENOMEM, (const char *name, const char *value, int over),
		(name, value, over))
FAILING(int, gethostname, -1, ENAMETOOLONG, (char *name, size_t n), (name, n))
FAILING(int, pthread_key_create, EAGAIN, EAGAIN, (pthread_key_t * key, void (*gone)(void *)),
		(key, gone))
FAILING(int, pthread_create, EAGAIN, EAGAIN,
		(pthread_t * t, const pthread_attr_t *a, void *(*run)(void *), void *of), (t, a, run, of))
FAILING(int, pthread_setspecific, ENOMEM, ENOMEM, (pthread_key_t key, const void *value),
		(key, value))
FAILING(void *, dlopen, NULL, ENOMEM, (const char *path, int how), (path, how))
FAILING(int, sched_setaffinity, -1, EPERM, (pid_t pid, size_t n, const cpu_set_t *cores),
		(pid, n, cores))
FAILING(int, sched_setscheduler, -1, EPERM, (pid_t pid, int how, const struct sched_param *p),
		(pid, how, p))
FAILING(int, getrlimit, -1, EPERM, (__rlimit_resource_t what, struct rlimit *limit), (what, limit))
FAILING(ssize_t, process_vm_readv, -1, EPERM,
		(pid_t pid, const struct iovec *to, unsigned long n, const struct iovec *at,
		 unsigned long m, unsigned long flags),
		(pid, to, n, at, m, flags))

EXPORT int open(const char *path, int how, ...)
{
	static int (*next)(const char *, int, ...);
	va_list more;
	va_start(more, how);
	mode_t mode = how & O_CREAT ? va_arg(more, mode_t) : 0;
	va_end(more);
	if (fails("open", FROM)) {
		errno = EMFILE;
		return -1;
	}
	if (!next)
		next = (int (*)(const char *, int, ...))real("open");
	return next(path, how, mode);
}

EXPORT void *mremap(void *at, size_t from, size_t to, int how, ...)
{
	static void *(*next)(void *, size_t, size_t, int, ...);
	va_list more;
	va_start(more, how);
	void *where = how & MREMAP_FIXED ? va_arg(more, void *) : NULL;
	va_end(more);
	if (fails("mremap", FROM)) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	if (!next)
		next = (void *(*)(void *, size_t, size_t, int, ...))real("mremap");
	return next(at, from, to, how, where);
}

EXPORT int fcntl(int fd, int what, ...)
{
	static int (*next)(int, int, ...);
	va_list more;
	va_start(more, what);
	void *value = va_arg(more, void *);
	va_end(more);
	if (fails("fcntl", FROM)) {
		errno = EMFILE;
		return -1;
	}
	if (!next)
		next = (int (*)(int, int, ...))real("fcntl");
	return next(fd, what, value);
}

/* dlsym() may allocate, so these go to the C library by its own names. */
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t bytes);
extern void *__libc_realloc(void *at, size_t n);

EXPORT void *malloc(size_t n)
{
	return fails("malloc", FROM) ? NULL : __libc_malloc(n);
}

EXPORT void *calloc(size_t n, size_t bytes)
{
	return fails("calloc", FROM) ? NULL : __libc_calloc(n, bytes);
}

EXPORT void *realloc(void *at, size_t n)
{
	return fails("realloc", FROM) ? NULL : __libc_realloc(at, n);
}
