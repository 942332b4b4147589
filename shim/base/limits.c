#include "base/limits.h"

#include "base/memory.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
	/* The recorder takes a quarter of what is left, at most: what the job will need is not known,
	 * and each of its threads reserves an arena where there is room, needed or not */
	PART = 4,
	/* What malloc reserves of the address space for a thread of ours, beside what is used of it */
	ARENA_BYTES = 64 << 20,
};

/* What a small file of /proc holds; empty where it cannot be read. */
static void read_text(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, room - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
}

/* Bytes that the process has mapped, and those that count as its data. */
static void read_used(uint64_t *mapped, uint64_t *data)
{
	char text[128];
	unsigned long long size = 0, rest = 0;
	read_text("/proc/self/statm", text, sizeof(text));
	if (sscanf(text, "%llu %*u %*u %*u %*u %llu", &size, &rest) != 2)
		size = rest = 0;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	*mapped = size * page;
	*data = rest * page;
}

static bool fits(int resource, uint64_t used, uint64_t bytes)
{
	struct rlimit limit;
	return getrlimit((__rlimit_resource_t)resource, &limit) != 0 ||
		   limit.rlim_cur == RLIM_INFINITY || used + bytes <= limit.rlim_cur;
}

static bool read_kib(const char *text, const char *name, uint64_t *bytes)
{
	unsigned long long kib;
	const char *at = strstr(text, name);
	if (!at || sscanf(at + strlen(name), " %llu", &kib) != 1)
		return false;
	*bytes = kib << 10;
	return true;
}

/* With vm.overcommit_memory = 2 the kernel promises no more than it has. */
static bool can_be_promised(uint64_t bytes)
{
	char text[4096];
	uint64_t most, promised;
	read_text("/proc/sys/vm/overcommit_memory", text, sizeof(text));
	if (text[0] != '2')
		return true;
	read_text("/proc/meminfo", text, sizeof(text));
	return !read_kib(text, "CommitLimit:", &most) || !read_kib(text, "Committed_AS:", &promised) ||
		   promised + bytes <= most;
}

const char *limits_too_low(uint64_t shared)
{
	uint64_t mapped, data, private = memory_private_bytes();
	read_used(&mapped, &data);
	uint64_t arenas = (uint64_t)MEMORY_OWN_THREADS * ARENA_BYTES;
	if (!fits(RLIMIT_AS, mapped, PART * (shared + private + arenas)))
		return "the limit of its address space (ulimit -v)";
	if (!fits(RLIMIT_DATA, data, PART * private))
		return "the limit of its data (ulimit -d)";
	if (!can_be_promised(PART * private))
		return "what the system still promises (vm.overcommit_memory is 2)";
	return NULL;
}
