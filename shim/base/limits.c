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
	/* What CUPTI and its threads take as they begin, whatever our own size is */
	CUPTI_BYTES = 24 << 20,
	PATH_MOST = 1024, /* of a control group; a longer one is taken for none */
};
#define NO_LIMIT \
	((uint64_t)1 << 60) /* version 1 writes a number of this size where there is none */

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

/* ---- control groups ---- */

/* The files of a memory controller, of version 1 and 2. */
static const struct controller {
	const char *most[2], *used, *cached[2];
} version_1 = {{"memory.limit_in_bytes", NULL},
			   "memory.usage_in_bytes",
			   {"\ntotal_inactive_file", "\ntotal_active_file"}},
  version_2 = {
	  {"memory.max", "memory.high"}, "memory.current", {"\ninactive_file", "\nactive_file"}};

/* A number in a file of the group; false: it has none, or no such file. */
static bool read_number(const char *group, const char *file, uint64_t *number)
{
	char path[PATH_MOST + 32], text[32];
	unsigned long long n;
	snprintf(path, sizeof(path), "%s/%s", group, file);
	read_text(path, text, sizeof(text));
	if (sscanf(text, "%llu", &n) != 1)
		return false;
	*number = n;
	return true;
}

/* Bytes of files in the group's memory, which the kernel takes back before it ends a process. */
static uint64_t read_cached(const char *group, const char *const names[2])
{
	char path[PATH_MOST + 32], text[4096];
	uint64_t bytes = 0;
	snprintf(path, sizeof(path), "%s/memory.stat", group);
	read_text(path, text, sizeof(text));
	for (int i = 0; i < 2; i++) {
		unsigned long long n;
		const char *at = strstr(text, names[i]);
		if (at && sscanf(at + strlen(names[i]), " %llu", &n) == 1)
			bytes += n;
	}
	return bytes;
}

static uint64_t left_in(const char *group, const struct controller *files)
{
	uint64_t most = UINT64_MAX, used;
	for (int i = 0; i < 2; i++) {
		uint64_t n;
		if (files->most[i] && read_number(group, files->most[i], &n) && n < most)
			most = n;
	}
	if (most > NO_LIMIT || !read_number(group, files->used, &used))
		return UINT64_MAX;
	uint64_t cached = read_cached(group, files->cached);
	used = used > cached ? used - cached : 0;
	return most > used ? most - used : 0;
}

/* In the group at `path` under `root` and all above it. What a container's mount does not show of
 * the path is passed over. */
static uint64_t left_above(const char *root, const char *path, int length,
						   const struct controller *files)
{
	char group[PATH_MOST];
	uint64_t least = UINT64_MAX;
	int n = snprintf(group, sizeof(group), "%s%.*s", root, length, path);
	if (n < 0 || (size_t)n >= sizeof(group))
		return least;
	for (;;) {
		uint64_t left = left_in(group, files);
		least = left < least ? left : least;
		char *slash = strrchr(group, '/');
		if (!slash || slash < group + strlen(root))
			return least;
		*slash = 0;
	}
}

/* One line of /proc/self/cgroup: NUMBER:CONTROLLERS:PATH, without controllers for version 2. */
static uint64_t left_of_line(const char *mount, const char *line)
{
	char root[PATH_MOST];
	const char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
	if (!path)
		return UINT64_MAX;
	int length = (int)strcspn(path + 1, "\n");
	if (path > names + 1) {
		const char *memory = strstr(names, "memory");
		if (!memory || memory > path)
			return UINT64_MAX;
		snprintf(root, sizeof(root), "%s/%.*s", mount, (int)(path - names - 1), names + 1);
		return left_above(root, path + 1, length, &version_1);
	}
	uint64_t alone = left_above(mount, path + 1, length, &version_2);
	snprintf(root, sizeof(root), "%s/unified", mount); /* beside groups of version 1 */
	uint64_t beside = left_above(root, path + 1, length, &version_2);
	return alone < beside ? alone : beside;
}

uint64_t limits_group_left(const char *mount, const char *self)
{
	uint64_t least = UINT64_MAX;
	for (const char *line = self; line && *line; line += *line == '\n') {
		uint64_t left = left_of_line(mount, line);
		least = left < least ? left : least;
		line += strcspn(line, "\n");
	}
	return least;
}

static bool group_has(uint64_t bytes)
{
	char self[4096];
	read_text("/proc/self/cgroup", self, sizeof(self));
	return bytes <= limits_group_left("/sys/fs/cgroup", self);
}

/* ---- mappings ---- */

static uint64_t count_maps(void)
{
	char text[4096];
	uint64_t lines = 0;
	ssize_t n = -1;
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, text, sizeof(text))) > 0)
		for (ssize_t i = 0; i < n; i++)
			lines += text[i] == '\n';
	if (fd >= 0)
		close(fd);
	return lines;
}

static bool maps_fit(uint64_t more)
{
	uint64_t most;
	return !read_number("/proc/sys/vm", "max_map_count", &most) || count_maps() + more <= most;
}

const char *limits_too_low(const struct memory_size *size, uint64_t shared, bool cupti_comes)
{
	uint64_t mapped, data, private = memory_private_bytes(size);
	read_used(&mapped, &data);
	uint64_t arenas = (uint64_t)memory_threads(size) * ARENA_BYTES;
	uint64_t own = private + (cupti_comes ? CUPTI_BYTES : 0);
	if (!fits(RLIMIT_AS, mapped, PART * (shared + private + arenas)))
		return "the limit of its address space (ulimit -v)";
	if (!fits(RLIMIT_DATA, data, PART * own))
		return "the limit of its data (ulimit -d)";
	if (!can_be_promised(PART * own))
		return "what the system still promises (vm.overcommit_memory is 2)";
	if (!group_has(PART * (shared + own + memory_static_bytes())))
		return "the memory limit of its control group";
	if (!maps_fit((uint64_t)PART * memory_maps(size)))
		return "the limit of its mappings (vm.max_map_count)";
	return NULL;
}
