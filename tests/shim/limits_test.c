/* What the memory limits of control groups leave, read from made directories: version 1 and 2, both
 * together, nested, and as a container's mount shows them. Linked with the shim's objects. */
#include "check.h"

#include "base/limits.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[64];

__attribute__((format(printf, 2, 3))) static void put(const char *path, const char *format, ...)
{
	char whole[512];
	va_list values;
	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')) != NULL; at++) {
		*at = 0;
		mkdir(whole, 0700);
		*at = '/';
	}
	FILE *file = fopen(whole, "w");
	if (!file) {
		CHECK(0, "%s", whole);
		return;
	}
	va_start(values, format);
	vfprintf(file, format, values);
	va_end(values);
	fclose(file);
}

static void expect(const char *self, uint64_t bytes, const char *what)
{
	uint64_t left = limits_group_left(root, self);
	CHECK(left == bytes, "%s: %llu bytes are left, not %llu", what, (unsigned long long)left,
		  (unsigned long long)bytes);
}

static void version_2(void)
{
	expect("0::/job/step\n", UINT64_MAX, "no files");
	put("job/step/memory.max", "max\n");
	put("job/step/memory.high", "max\n");
	put("job/step/memory.current", "5000\n");
	expect("0::/job/step\n", UINT64_MAX, "max");
	put("job/step/memory.max", "9000\n");
	expect("0::/job/step\n", 4000, "a limit");
	put("job/step/memory.stat", "anon 3000\nfile 2000\nshmem 500\ninactive_anon 7\n"
								"active_anon 8\ninactive_file 1000\nactive_file 500\n");
	expect("0::/job/step\n", 5500, "pages of files can go");
	put("job/step/memory.high", "8000\n");
	expect("0::/job/step\n", 4500, "memory.high");
	put("job/memory.max", "20000\n");
	put("job/memory.current", "18000\n");
	expect("0::/job/step\n", 2000, "the group above");
	put("memory.max", "1000\n"); /* a container's: its root group has files too */
	put("memory.current", "2000\n");
	expect("0::/job/step\n", 0, "more is used than there may be");
	expect("0::/\n", 0, "the root that a container sees");
	expect("0::/not/shown/here\n", 0, "a path of the host, which the container does not show");
}

static void version_1(void)
{
	put("memory/a/memory.limit_in_bytes", "9223372036854771712\n");
	put("memory/a/memory.usage_in_bytes", "77\n");
	expect("9:name=systemd:/a\n4:memory:/a\n3:cpuset:/\n", UINT64_MAX, "no limit");
	put("memory/a/memory.limit_in_bytes", "6000\n");
	expect("9:name=systemd:/a\n4:memory:/a\n3:cpuset:/\n", 5923, "a limit");
	expect("9:name=memory_like:/b\n3:cpuset:/\n", UINT64_MAX, "no controller of memory");
	put("memory/a/memory.stat", "cache 50\ninactive_file 1\ntotal_inactive_file 20\n"
								"total_active_file 7\n");
	expect("4:memory:/a/b\n", 5950, "the group above, and pages of files");
	put("memory/memory.limit_in_bytes", "100\n");
	put("memory/memory.usage_in_bytes", "60\n");
	expect("4:memory:/a/b\n", 40, "the topmost group");
	put("unified/c/memory.max", "30\n");
	put("unified/c/memory.current", "0\n");
	expect("4:memory:/a\n0::/c\n", 30, "version 2 beside it");
	put("cpu,memory/d/memory.limit_in_bytes", "15\n");
	put("cpu,memory/d/memory.usage_in_bytes", "10\n");
	expect("4:cpu,memory:/d\n", 5, "two controllers in one place");
}

static void odd(void)
{
	char self[3000];
	expect("", UINT64_MAX, "an empty file");
	expect("no colons\n:\n::", UINT64_MAX, "no lines of it");
	put("memory/a/memory.usage_in_bytes", "some\n");
	put("memory/memory.limit_in_bytes", "\n");
	expect("4:memory:/a", UINT64_MAX, "no numbers");
	memset(self, 'x', sizeof(self) - 1);
	memcpy(self, "4:memory:/", 10);
	self[sizeof(self) - 1] = 0;
	expect(self, UINT64_MAX, "a path that is too long");
}

/* Each size is smaller than the one before it in all that it has. */
static void sizes(void)
{
	for (int i = 1; i < MEMORY_SIZES; i++) {
		const struct memory_size *more = &memory_sizes[i - 1], *less = &memory_sizes[i];
		CHECK(less->ring_slots < more->ring_slots && less->small_slots <= more->small_slots &&
				  less->dictionary_bytes < more->dictionary_bytes && less->texts < more->texts,
			  "size %d", i);
		CHECK(memory_private_bytes(less) < memory_private_bytes(more) / 4 * 3, "%llu of %llu bytes",
			  (unsigned long long)memory_private_bytes(less),
			  (unsigned long long)memory_private_bytes(more));
		CHECK(memory_maps(less) < memory_maps(more) && less->without, "size %d", i);
		printf("size %d: %.1f MiB of its own\n", i, (double)memory_private_bytes(less) / (1 << 20));
	}
	CHECK(!memory_sizes->without, "the first is whole");
}

static void fresh(void)
{
	strcpy(root, "/tmp/baton-limits-XXXXXX");
	CHECK(mkdtemp(root) != NULL, "no directory");
}

static void away(void)
{
	char command[128];
	snprintf(command, sizeof(command), "rm -rf %s", root);
	CHECK(system(command) == 0, "%s", command);
}

int main(void)
{
	fresh();
	version_2();
	away();
	fresh();
	version_1();
	odd();
	away();
	sizes();
	return finish();
}
