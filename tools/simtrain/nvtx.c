/* The loader that NVTX's headers put into every program that uses them: on the first call it opens
 * the library of NVTX_INJECTION64_PATH and hands it tables of slots, which that library fills. */
#include "nvtx.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef void (*slot)(void);

enum { TABLE_CALLBACKS = 1, TABLE_VERSION = 3, MODULE_CORE = 1, MODULE_CORE2 = 5, SLOTS = 16 };
enum { CORE_MARK = 2, CORE_PUSH = 9, CORE_POP = 11 };
enum { DOMAIN_PUSH = 4, DOMAIN_POP = 5, DOMAIN_STRING = 10, DOMAIN_CREATE = 12 };
enum { MESSAGE_REGISTERED = 3 };

struct attributes { /* nvtxEventAttributes_t */
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};
_Static_assert(sizeof(struct attributes) == 48, "nvtxEventAttributes_t");

static slot core[SLOTS], core2[SLOTS];
static slot *core_table[SLOTS + 1], *core2_table[SLOTS + 1];
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool silent;
static void *domain;

static int module_table(uint32_t module, slot ***table, unsigned *size)
{
	if (module != MODULE_CORE && module != MODULE_CORE2)
		return 0;
	*table = module == MODULE_CORE ? core_table : core2_table;
	if (size)
		*size = SLOTS;
	return 1;
}

static void heard_version(uint32_t version)
{
	(void)version;
}

static const struct {
	size_t size;
	int (*module_table)(uint32_t, slot ***, unsigned *);
} callbacks = {sizeof callbacks, module_table};

static const struct {
	size_t size;
	uint32_t version, reserved;
	void (*set_injection_version)(uint32_t);
} version_info = {sizeof version_info, 3, 0, heard_version};

static const void *export_table(uint32_t id)
{
	return id == TABLE_CALLBACKS ? (const void *)&callbacks
		   : id == TABLE_VERSION ? (const void *)&version_info
								 : NULL;
}

static void load(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;
	int (*init)(const void *(*)(uint32_t)) = NULL;

	for (int i = 1; i < SLOTS; i++) { /* entry 0 is nobody's */
		core_table[i] = &core[i];
		core2_table[i] = &core2[i];
	}
	if (library)
		*(void **)&init = dlsym(library, "InitializeInjectionNvtx2");
	if (!init || !init(export_table)) {
		for (int i = 0; i < SLOTS; i++)
			core[i] = core2[i] = NULL;
		return;
	}
	if (core2[DOMAIN_CREATE])
		domain = ((void *(*)(const char *))core2[DOMAIN_CREATE])("simtrain");
}

static slot ask(slot *table, int which)
{
	if (silent)
		return NULL;
	pthread_once(&once, load);
	return table[which];
}

void nvtx_silence(void)
{
	silent = true;
}

void nvtx_push(const char *text)
{
	slot push = ask(core, CORE_PUSH);

	if (push)
		((int (*)(const char *))push)(text);
}

void nvtx_pop(void)
{
	slot pop = ask(core, CORE_POP);

	if (pop)
		((int (*)(void))pop)();
}

void nvtx_mark(const char *text)
{
	slot mark = ask(core, CORE_MARK);

	if (mark)
		((void (*)(const char *))mark)(text);
}

static void *registered(const char *text)
{
	static struct {
		const char *text;
		void *handle;
	} known[16];
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	slot string = core2[DOMAIN_STRING];
	void *handle = NULL;

	pthread_mutex_lock(&lock);
	for (int i = 0; string && i < 16 && !handle; i++) {
		if (!known[i].text) {
			known[i].text = text;
			known[i].handle = ((void *(*)(void *, const char *))string)(domain, text);
		}
		if (known[i].text == text)
			handle = known[i].handle;
	}
	pthread_mutex_unlock(&lock);
	return handle;
}

void nvtx_phase_push(const char *text)
{
	slot push = ask(core2, DOMAIN_PUSH);
	struct attributes attributes = {.version = 3, .size = sizeof attributes};

	if (!push)
		return;
	attributes.message_type = MESSAGE_REGISTERED;
	attributes.message = registered(text);
	((int (*)(void *, const struct attributes *))push)(domain, &attributes);
}

void nvtx_phase_pop(void)
{
	slot pop = ask(core2, DOMAIN_POP);

	if (pop)
		((int (*)(void *))pop)(domain);
}
