/* Native stacks in a program without Python, and the cache of ids under several threads. Keeps out:
 * an id handed out for another key while its entry changes hands, a libunwind whose _Unwind_* the
 * program's own exceptions would reach, addresses that no ELF file knows. */
#include "base/idcache.h"
#include "dict_double.h"
#include "ring/stack.h"
#include "sources/stacks/native.h"
#include "sources/stacks/stacks.h"

#include "check.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static struct idcache cache;
static _Atomic unsigned wrong;

/* 16 keys share a bucket of four: entries change hands all the time. */
static void *hammer(void *context)
{
	uint64_t state = (uintptr_t)context;
	for (int i = 0; i < 1000000; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		uint64_t key = 5 + (state >> 33) % 16 * IDCACHE_BUCKETS;
		uint32_t id = idcache_get(&cache, key);
		if (id && id != (uint32_t)(key / IDCACHE_BUCKETS) + 1)
			wrong++;
		if (!id)
			idcache_put(&cache, key, (uint32_t)(key / IDCACHE_BUCKETS) + 1);
	}
	return NULL;
}

static void cache_races(void)
{
	pthread_t threads[4];
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, hammer, (void *)(i + 1));
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	CHECK(wrong == 0, "%u ids of other keys", (unsigned)wrong);
	idcache_put(&cache, 0, 7);
	idcache_put(&cache, 1, 8);
	CHECK(idcache_get(&cache, 0) == 7 && idcache_get(&cache, 1) == 8, "the marks as keys");
}

/* A library between the shim and the program, so that its frames are not taken for the shim's. */
typedef uint32_t capture_fn(void);

static const struct baton_frame *frames_of(uint32_t id, unsigned *n)
{
	const struct baton_r_stack *stack = dict_double_find(BATON_R_STACK, id);
	*n = stack ? stack->frames : 0;
	return (const struct baton_frame *)(stack + 1);
}

static void known_by_file(const char *path)
{
	uint32_t (*call)(capture_fn *, int) = NULL;
	void *library = dlopen(path, RTLD_NOW);
	struct link_map *map = NULL;
	if (library) {
		*(void **)&call = dlsym(library, "outer");
		dlinfo(library, RTLD_DI_LINKMAP, &map);
	}
	CHECK(call && map, "cannot load %s", path);
	if (!call || !map)
		return;
	unsigned n[3];
	uint32_t id[3];
	const struct baton_frame *frames = NULL;
	for (int i = 0; i < 3; i++) { /* from one place: the third is a call deeper */
		id[i] = call(stack_here, i < 2 ? 5 : 6);
		frames = frames_of(id[i], &n[i]);
	}
	CHECK(id[0] == id[1], "the same stack has two ids");
	CHECK(id[0] != id[2] && n[2] == n[0] + 1, "%u frames, %u one call deeper", n[0], n[2]);
	CHECK(n[2] > 6, "%u frames", n[2]);
	for (unsigned i = 0; i < n[2] && i < 6; i++) {
		const struct baton_r_module *module = dict_double_find(BATON_R_MODULE, frames[i].of);
		const char *name = module ? dict_double_text(module->path, NULL) : "";
		Dl_info info = {0};
		int found = dladdr((void *)(map->l_addr + frames[i].offset - 1), &info);
		CHECK(strcmp(name, path) == 0, "frame %u is of '%s', not '%s'", i, name, path);
		CHECK(module && strlen(dict_double_text(module->build_id, NULL)) == 40, "no build id");
		CHECK(found && info.dli_sname && strcmp(info.dli_sname, "outer") == 0,
			  "frame %u lies in '%s'", i, found && info.dli_sname ? info.dli_sname : "?");
	}
	unsigned records = dict_double_count(BATON_R_MODULE);
	stacks_forget(); /* a forked child: everything is written again */
	uint32_t anew = call(stack_here, 5);
	CHECK(anew && anew != id[0] && dict_double_count(BATON_R_MODULE) > records, "not forgotten");
	dlclose(library);
}

static void unwinder_is_private(void)
{
	Dl_info info;
	void *symbol = dlsym(RTLD_DEFAULT, "_Unwind_Backtrace");
	bool ours = symbol && dladdr(symbol, &info) && strstr(info.dli_fname, "libunwind");
	CHECK(!ours, "_Unwind_Backtrace comes from %s", ours ? info.dli_fname : "");
}

int main(int argc, char **argv)
{
	cache_races();
	stacks_open(STACKS_OFF);
	CHECK(stack_here() == 0, "off gives a stack");
	stacks_open(STACKS_PYTHON);
	CHECK(stack_here() == 0 && !stacks_why_off(), "no Python is no fault");
	stacks_open(STACKS_BOTH);
	if (!native_ready()) {
		printf("%s\n", stacks_why_off());
		return check_failures ? 1 : 77;
	}
	unwinder_is_private();
	/* twice: the second file is mapped where the first one was */
	for (int i = 1; i < argc; i++)
		known_by_file(argv[i]);
	stacks_open(STACKS_NATIVE);
	for (int i = 1; i < argc; i++)
		known_by_file(argv[i]);
	return finish();
}
