/* Preloaded before libbaton.so, to try the limits that a test cannot set.
 * FAKE_LIMITS: a directory that stands for `/` where control groups and vm.max_map_count are read.
 * FAKE_ROOM: each file system has so many bytes free.
 * FAKE_MAPS: the process has all mappings that vm.max_map_count allows, but for so many. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) int open(const char *path, int how, ...)
{
	const char *root = getenv("FAKE_LIMITS");
	char other[2048];
	va_list more;
	va_start(more, how);
	mode_t mode = how & O_CREAT ? va_arg(more, mode_t) : 0;
	va_end(more);
	if (root &&
		(strncmp(path, "/sys/fs/cgroup/", 15) == 0 || strcmp(path, "/proc/self/cgroup") == 0)) {
		snprintf(other, sizeof(other), "%s%s", root, path);
		path = other;
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, how, mode);
}

__attribute__((visibility("default"))) int statvfs(const char *path, struct statvfs *fs)
{
	int (*real)(const char *, struct statvfs *) = NULL;
	const char *room = getenv("FAKE_ROOM");
	*(void **)&real = dlsym(RTLD_NEXT, "statvfs");
	if (!real || real(path, fs) != 0)
		return -1;
	if (room)
		fs->f_bavail = (fsblkcnt_t)atol(room) / fs->f_frsize;
	return 0;
}

static long number_in(const char *path, int lines)
{
	FILE *file = fopen(path, "r");
	long n = 0;
	for (int c; lines && file && (c = getc(file)) != EOF;)
		n += c == '\n';
	if (!lines && (!file || fscanf(file, "%ld", &n) != 1))
		n = 0;
	if (file)
		fclose(file);
	return n;
}

/* Pages with other rights than their neighbours: none is joined with another one. */
__attribute__((constructor)) static void use_maps(void)
{
	const char *left = getenv("FAKE_MAPS");
	const long page = sysconf(_SC_PAGESIZE);
	if (!left)
		return;
	long most = number_in("/proc/sys/vm/max_map_count", 0), used = number_in("/proc/self/maps", 1);
	long n = most - used - atol(left);
	char *at = n > 0 ? mmap(NULL, (size_t)(n * page), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
					 : MAP_FAILED;
	if (at == MAP_FAILED)
		_exit(99);
	for (long i = 1; i < n; i += 2)
		if (mprotect(at + i * page, (size_t)page, PROT_READ) != 0)
			_exit(98);
}
