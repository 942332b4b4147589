#include "cupti.h"

#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct cupti cupti;

/* Sonames go to the dynamic linker, the rest is matched against the disk. %s: $CUDA_HOME, $HOME. */
static const char *const cuda_home_globs[] = {
	"%s/extras/CUPTI/lib64/libcupti.so.[0-9]*",
	"%s/lib64/libcupti.so.[0-9]*",
};

static const char *const disk_globs[] = {
	"/usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.[0-9]*",
	"/usr/local/cuda*/targets/*/lib/libcupti.so.[0-9]*",
	"/opt/cuda*/extras/CUPTI/lib64/libcupti.so.[0-9]*",
	"/usr/lib/x86_64-linux-gnu/libcupti.so.[0-9]*",
	"/usr/lib/python3*/*-packages/nvidia/*/lib/libcupti.so.[0-9]*",
	"/usr/local/lib/python3*/*-packages/nvidia/*/lib/libcupti.so.[0-9]*",
	"/opt/*/lib/python3*/site-packages/nvidia/*/lib/libcupti.so.[0-9]*",
	"/opt/*/.venv/lib/python3*/site-packages/nvidia/*/lib/libcupti.so.[0-9]*",
	"build/gpu-carry/*/libcupti.so.[0-9]*",
};

static const char *const sonames[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"};

struct list {
	char **paths;
	size_t count, most;
};

/* One file under several names (toolkits are full of links) is one candidate. */
static void list_add(struct list *list, const char *path)
{
	char *real = strchr(path, '/') ? realpath(path, NULL) : strdup(path);
	size_t i;

	for (i = 0; real && i < list->count; i++)
		if (!strcmp(list->paths[i], real))
			break;
	if (real && i == list->count && list->count < list->most)
		list->paths[list->count++] = real;
	else
		free(real);
}

static void list_glob(struct list *list, const char *pattern)
{
	glob_t found;
	size_t i;

	if (glob(pattern, 0, NULL, &found) == 0)
		for (i = 0; i < found.gl_pathc; i++)
			list_add(list, found.gl_pathv[i]);
	globfree(&found);
}

static void list_under(struct list *list, const char *root, const char *const *patterns, size_t n)
{
	char pattern[1024];
	size_t i;

	for (i = 0; root && i < n; i++) {
		if (snprintf(pattern, sizeof(pattern), patterns[i], root) < (int)sizeof(pattern))
			list_glob(list, pattern);
	}
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

size_t cupti_candidates(const char *given, char **paths, size_t most)
{
	static const char *const venv[] = {
		"%s/lib/python3*/site-packages/nvidia/*/lib/libcupti.so.[0-9]*",
	};
	struct list list = {paths, 0, most};
	size_t i;

	if (given) {
		list_add(&list, given);
		return list.count;
	}
	list_under(&list, getenv("VIRTUAL_ENV"), venv, COUNT(venv));
	list_under(&list, getenv("PROBE_PYTHON_PREFIX"), venv, COUNT(venv));
	list_under(&list, getenv("CUDA_HOME"), cuda_home_globs, COUNT(cuda_home_globs));
	for (i = 0; i < COUNT(disk_globs); i++)
		list_glob(&list, disk_globs[i]);
	for (i = 0; i < COUNT(sonames); i++)
		list_add(&list, sonames[i]);
	return list.count;
}

int cupti_open(const char *path, char *why, size_t why_bytes)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), *found;

	if (!handle) {
		snprintf(why, why_bytes, "%s", dlerror());
		return ENOENT;
	}
#define CUPTI_FIND(member, symbol, arguments) \
	found = dlsym(handle, symbol);            \
	memcpy(&cupti.member, &found, sizeof(found));
	CUPTI_FUNCTIONS(CUPTI_FIND)
#undef CUPTI_FIND
	return 0;
}

const char *cupti_error(int rc)
{
	const char *text = NULL;

	if (rc == 0)
		return "ok";
	if (!cupti.result_string || cupti.result_string(rc, &text) || !text)
		return "?";
	return text;
}

/* Where a kind keeps what we read; 0: it has none (offset 0 is the kind itself). */
struct layout {
	uint8_t kind, start, end, device, context, stream, correlation, name, node, graph, bytes,
		detail;
};

static const struct layout layouts[] = {
	{KIND_KERNEL, 16, 24, 40, 44, 48, 92, 104, 144, 156, 0, 0},
	{KIND_MEMCPY, 16, 24, 32, 36, 40, 44, 0, 64, 72, 8, 4},
	{KIND_MEMCPY2, 16, 24, 32, 36, 40, 60, 0, 72, 80, 8, 4},
	{KIND_MEMSET, 16, 24, 32, 36, 40, 44, 0, 64, 72, 8, 0},
	{KIND_SYNCHRONIZATION, 8, 16, 0, 28, 32, 24, 0, 0, 0, 0, 4},
	{KIND_GRAPH_TRACE, 8, 16, 24, 32, 36, 4, 0, 0, 28, 0, 0},
	{KIND_OVERHEAD, 24, 32, 0, 0, 0, 0, 0, 0, 0, 0, 4},
	{KIND_DRIVER, 8, 16, 0, 0, 0, 32, 0, 0, 0, 0, 4},
	{KIND_RUNTIME, 8, 16, 0, 0, 0, 32, 0, 0, 0, 0, 4},
	{KIND_CUDA_EVENT, 0, 0, 0, 8, 12, 4, 0, 0, 0, 0, 16},
	{KIND_CONTEXT, 0, 0, 8, 4, 0, 0, 0, 0, 0, 0, 0},
};

static uint32_t u32_at(const uint8_t *record, uint32_t size, uint8_t at)
{
	uint32_t value = 0;

	if (at && at + sizeof(value) <= size)
		memcpy(&value, record + at, sizeof(value));
	return value;
}

static uint64_t u64_at(const uint8_t *record, uint32_t size, uint8_t at)
{
	uint64_t value = 0;

	if (at && at + sizeof(value) <= size)
		memcpy(&value, record + at, sizeof(value));
	return value;
}

struct record cupti_record(const uint8_t *record, uint32_t size)
{
	struct record out = {.size = size};
	const struct layout *at = layouts;
	uint32_t kind = 0;

	if (size >= sizeof(kind))
		memcpy(&kind, record, sizeof(kind));
	out.kind = kind;
	while (at < layouts + COUNT(layouts) && at->kind != kind)
		at++;
	if (at == layouts + COUNT(layouts))
		return out;
	out.start = u64_at(record, size, at->start);
	out.end = u64_at(record, size, at->end);
	out.device = u32_at(record, size, at->device);
	out.context = u32_at(record, size, at->context);
	out.stream = u32_at(record, size, at->stream);
	out.correlation = u32_at(record, size, at->correlation);
	out.name = u64_at(record, size, at->name);
	out.graph_node = u64_at(record, size, at->node);
	out.graph = u32_at(record, size, at->graph);
	out.bytes = u64_at(record, size, at->bytes);
	out.detail = u32_at(record, size, at->detail);
	return out;
}
