#include "base/caller.h"

#include "base/symbols.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

struct object {
	uintptr_t address; /* looked for */
	uintptr_t from, bytes;
	char path[1024]; /* empty: the program itself */
};

static int look_at(struct dl_phdr_info *info, size_t size, void *data)
{
	struct object *object = data;
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *load = &info->dlpi_phdr[i];
		uintptr_t from = info->dlpi_addr + load->p_vaddr;
		if (load->p_type != PT_LOAD || object->address - from >= load->p_memsz)
			continue;
		object->from = from;
		object->bytes = load->p_memsz;
		if (info->dlpi_name && strlen(info->dlpi_name) < sizeof(object->path))
			strcpy(object->path, info->dlpi_name);
		return 1;
	}
	return 0;
}

/* A library's handle searches the library and what it needs, in its own order: never this one. The
 * program's searches the global scope, where this library stands first: what follows it is meant.
 */
static void *in_library(const struct object *object, const char *name, const char *twin)
{
	void *handle = object->path[0] ? dlopen(object->path, RTLD_NOLOAD | RTLD_LAZY) : NULL;
	if (!handle)
		return NULL;
	void *found = twin ? symbols_true()(handle, twin) : NULL;
	if (!found)
		found = symbols_true()(handle, name);
	dlclose(handle); /* it has its own reference */
	return found;
}

static void *in_scope(const struct object *object, const char *name, const char *twin)
{
	void *found = in_library(object, name, twin);
	return found ? found : symbols_next(name);
}

bool caller_sees(const void *caller, const char *name)
{
	struct object object = {.address = (uintptr_t)caller};
	int saved_errno = errno;
	bool seen = dl_iterate_phdr(look_at, &object) && in_library(&object, name, NULL);
	dlerror();
	errno = saved_errno;
	return seen;
}

void *caller_find(struct caller_target *target, const char *name, const char *twin,
				  const void *caller)
{
	struct object object = {.address = (uintptr_t)caller};
	int saved_errno = errno;
	void *real = dl_iterate_phdr(look_at, &object) ? in_scope(&object, name, twin) : NULL;
	dlerror();
	errno = saved_errno;
	uint32_t i = real ? atomic_fetch_add(&target->used, 1) : CALLERS;
	if (i < CALLERS) {
		target->caller[i].bytes = object.bytes;
		target->caller[i].real = real;
		atomic_store_explicit(&target->caller[i].from, object.from, memory_order_release);
	}
	return real;
}
