#include "stacks/symbol.h"

#include "base/room.h"
#include "base/intern.h"
#include "base/strings.h"
#include "classify/demangle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#if __has_include(<elfutils/libdwfl.h>)
#include <dlfcn.h>
#include <pthread.h>
#include <elfutils/libdwfl.h>
#define WITH_LIBDW 1
#else
#define WITH_LIBDW 0
#endif

enum {
	FILES_MOST = 512, /* open at once */
	BUILD_ID_MOST = 64,
	KNOWN_MOST = 1 << 16 /* answers kept: a look-up goes through all symbols of a file */
};

#if WITH_LIBDW

/* libdw is loaded, not linked: a baton that was built with it runs without. */
#define LIBDW(F)              \
	F(dwfl_begin)             \
	F(dwfl_end)               \
	F(dwfl_report_begin)      \
	F(dwfl_report_elf)        \
	F(dwfl_report_end)        \
	F(dwfl_module_build_id)   \
	F(dwfl_module_getelf)     \
	F(dwfl_module_addrinfo)   \
	F(dwfl_module_getsrc)     \
	F(dwfl_lineinfo)          \
	F(dwfl_build_id_find_elf) \
	F(dwfl_build_id_find_debuginfo)

static struct libdw {
	bool there;
#define MEMBER(name) __typeof__(name) *name;
	LIBDW(MEMBER)
#undef MEMBER
} libdw;

struct symbol_file {
	Dwfl *dwfl; /* NULL: no such file, or another one */
	Dwfl_Module *module;
	uint64_t bias;
};

struct symbols {
	Dwfl_Callbacks callbacks;
	struct strings keys; /* "BUILD_ID PATH" -> index in files */
	struct symbol_file files[FILES_MOST];
	struct intern known; /* file, address in two words */
	uint32_t *answers;   /* of those: in texts, 0 none */
	size_t answers_room;
	struct strings texts;
};

/* Once, for all threads; it stays. */
static void load_libdw(void)
{
	void *handle = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
	libdw.there = handle != NULL;
#define FIND(name)                                                \
	*(void **)&libdw.name = handle ? dlsym(handle, #name) : NULL; \
	libdw.there = libdw.there && libdw.name;
	LIBDW(FIND)
#undef FIND
}

int symbols_open(struct symbols **out)
{
	struct symbols *s = *out = calloc(1, sizeof(*s));
	if (!s || strings_init(&s->keys) != 0 || strings_init(&s->texts) != 0) {
		if (s && s->keys.texts)
			strings_free(&s->keys);
		free(s);
		*out = NULL;
		return -ENOMEM;
	}
	s->known = intern_of(3, KNOWN_MOST);
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, load_libdw);
	/* debug files by build id beneath /usr/lib/debug; never from a server */
	s->callbacks.find_elf = libdw.dwfl_build_id_find_elf;
	s->callbacks.find_debuginfo = libdw.dwfl_build_id_find_debuginfo;
	return 0;
}

void symbols_close(struct symbols *s)
{
	for (unsigned i = 0; s && i < FILES_MOST; i++)
		if (s->files[i].dwfl)
			libdw.dwfl_end(s->files[i].dwfl);
	if (s) {
		strings_free(&s->keys);
		strings_free(&s->texts);
		intern_free(&s->known);
		free(s->answers);
	}
	free(s);
}

static bool same_build_id(Dwfl_Module *module, const char *wanted)
{
	const unsigned char *bits;
	char hex[2 * BUILD_ID_MOST + 1];
	GElf_Addr address;
	int n = libdw.dwfl_module_build_id(module, &bits, &address);
	if (n <= 0 || n > BUILD_ID_MOST)
		return false;
	for (int i = 0; i < n; i++)
		snprintf(hex + 2 * i, 3, "%02x", bits[i]);
	return strcmp(hex, wanted) == 0;
}

/* Whatever a path of a trace names: only a regular file is opened. */
static void file_try(struct symbols *s, struct symbol_file *file, const char *path,
					 const char *build_id)
{
	struct stat st;
	if (file->dwfl || path[0] != '/' || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return;
	Dwfl *dwfl = libdw.dwfl_begin(&s->callbacks);
	if (!dwfl)
		return;
	libdw.dwfl_report_begin(dwfl);
	file->module = libdw.dwfl_report_elf(dwfl, "file", path, -1, 0, true);
	libdw.dwfl_report_end(dwfl, NULL, NULL);
	GElf_Addr bias = 0;
	if (file->module && same_build_id(file->module, build_id) &&
		libdw.dwfl_module_getelf(file->module, &bias)) {
		file->dwfl = dwfl;
		file->bias = bias;
		return;
	}
	libdw.dwfl_end(dwfl);
}

static struct symbol_file *file_of(struct symbols *s, const char *path, const char *build_id)
{
	char key[4096], debug[2 * BUILD_ID_MOST + 64];
	uint32_t id;
	int is_new;
	size_t digits = strspn(build_id, "0123456789abcdef");
	if (digits < 4 || digits > 2 * BUILD_ID_MOST || build_id[digits])
		return NULL;
	size_t bytes = (size_t)snprintf(key, sizeof(key), "%s %s", build_id, path);
	if (bytes >= sizeof(key) || strings_add(&s->keys, key, bytes, &id, &is_new) != 0 ||
		id >= FILES_MOST)
		return NULL;
	struct symbol_file *file = &s->files[id];
	if (is_new) {
		snprintf(debug, sizeof(debug), "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id,
				 build_id + 2);
		file_try(s, file, path, build_id);
		file_try(s, file, debug, build_id);
	}
	return file->dwfl ? file : NULL;
}

/* Asks libdw. */
static bool look_up(const struct symbol_file *file, uint64_t address, char *out, size_t room)
{
	GElf_Off offset;
	GElf_Sym symbol;
	int line = 0, before = 0;
	address += file->bias;
	const char *name =
		libdw.dwfl_module_addrinfo(file->module, address, &offset, &symbol, NULL, NULL, NULL);
	if (!name)
		return false;
	Dwfl_Line *at = libdw.dwfl_module_getsrc(file->module, address);
	const char *source = at ? libdw.dwfl_lineinfo(at, NULL, &line, NULL, NULL, NULL) : NULL;
	if (source)
		before = snprintf(out, room, "%s:%d ", source, line);
	if (before < 0 || (size_t)before >= room)
		before = 0;
	demangle(name, out + before, room - (size_t)before);
	return true;
}

bool symbol_text(struct symbols *s, const char *path, const char *build_id, uint64_t address,
				 char *out, size_t room)
{
	const struct symbol_file *file = libdw.there ? file_of(s, path, build_id) : NULL;
	if (!file)
		return false;
	const uint32_t key[3] = {(uint32_t)(file - s->files), (uint32_t)address,
							 (uint32_t)(address >> 32)};
	uint32_t before = s->known.n, number;
	if (intern_get(&s->known, key, &number) != 0 || number == INTERN_FULL ||
		room_reach((void **)&s->answers, &s->answers_room, number, sizeof(*s->answers)) != 0)
		return look_up(file, address, out, room);
	if (number < before) {
		const uint32_t answer = s->answers[number];
		snprintf(out, room, "%s", strings_get(&s->texts, answer).at);
		return answer != 0;
	}
	s->answers[number] = 0;
	bool found = look_up(file, address, out, room);
	if (found)
		strings_add(&s->texts, out, strlen(out), &s->answers[number], NULL);
	return found;
}

#else

int symbols_open(struct symbols **out)
{
	*out = NULL;
	return 0;
}

void symbols_close(struct symbols *symbols)
{
	(void)symbols;
}

bool symbol_text(struct symbols *symbols, const char *path, const char *build_id, uint64_t address,
				 char *out, size_t room)
{
	(void)symbols, (void)path, (void)build_id, (void)address, (void)out, (void)room;
	return false;
}

#endif
