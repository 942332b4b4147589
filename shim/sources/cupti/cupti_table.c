#include "sources/cupti/cupti_table.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

struct cupti_table cupti;

static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
									"libcupti.so.11.7"};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

/* Where the CUDA runtime of this process came from: CUPTI's wheel lies beside it. */
struct runtime_place {
	char directory[1024];
	char major[8]; /* "13", "12", "11.0" */
};

static int find_runtime(struct dl_phdr_info *info, size_t size, void *data)
{
	struct runtime_place *place = data;
	const char *at = info->dlpi_name ? strstr(info->dlpi_name, "/libcudart.so.") : NULL;
	(void)size;
	if (!at)
		return 0;
	snprintf(place->directory, sizeof(place->directory), "%.*s", (int)(at - info->dlpi_name),
			 info->dlpi_name);
	snprintf(place->major, sizeof(place->major), "%s", at + strlen("/libcudart.so."));
	return 1;
}

static void *open_pattern(const char *pattern)
{
	glob_t found;
	void *library = NULL;
	if (glob(pattern, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && !library; i++)
			library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
		globfree(&found);
	}
	return library;
}

static void *open_beside(const struct runtime_place *place)
{
	static const char *const beside[] = {"%s/libcupti.so.1[0-9]*",
										 "%s/../../cuda_cupti/lib/libcupti.so.1[0-9]*",
										 "%s/../extras/CUPTI/lib64/libcupti.so.1[0-9]*"};
	char pattern[1200];
	void *library = NULL;
	for (size_t i = 0; place->directory[0] && i < 3 && !library; i++) {
		snprintf(pattern, sizeof(pattern), beside[i], place->directory);
		library = open_pattern(pattern);
	}
	return library ? library
				   : open_pattern("/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.1[0-9]*");
}

/* The release that fits the runtime first; the search path of the loader. */
static void *open_by_name(const struct runtime_place *place, int flags)
{
	void *library = NULL;
	char fitting[32];
	snprintf(fitting, sizeof(fitting), "libcupti.so.%.2s", place->major);
	if (place->major[0])
		library = dlopen(fitting, flags);
	for (int i = 0; i < NAMES && !library; i++)
		library = dlopen(names[i], flags);
	return library;
}

static void *open_library(const char *path)
{
	struct runtime_place place = {"", ""};
	void *library = NULL;
	dl_iterate_phdr(find_runtime, &place);
	if (path[0])
		return dlopen(path, RTLD_NOW | RTLD_LOCAL);
	library = open_by_name(&place, RTLD_NOW | RTLD_NOLOAD);
	if (!library)
		library = open_beside(&place);
	return library ? library : open_by_name(&place, RTLD_NOW | RTLD_LOCAL);
}

const char *cupti_table_open(const char *path)
{
	static const struct {
		const char *name;
		void **entry;
	} entries[] = {{"cuptiSubscribe", (void **)&cupti.subscribe},
				   {"cuptiUnsubscribe", (void **)&cupti.unsubscribe},
				   {"cuptiEnableCallback", (void **)&cupti.enable_callback},
				   {"cuptiActivityRegisterCallbacks", (void **)&cupti.register_callbacks},
				   {"cuptiActivityEnable", (void **)&cupti.enable},
				   {"cuptiActivityDisable", (void **)&cupti.disable},
				   {"cuptiActivityFlushAll", (void **)&cupti.flush_all},
				   {"cuptiActivityGetNextRecord", (void **)&cupti.next_record},
				   {"cuptiActivityGetNumDroppedRecords", (void **)&cupti.dropped},
				   {"cuptiActivitySetAttribute", (void **)&cupti.set_attribute},
				   {"cuptiSetThreadIdType", (void **)&cupti.set_thread_id_type},
				   {"cuptiGetResultString", (void **)&cupti.result_string}};
	if (strcmp(path, "none") == 0)
		return "BATON_CUPTI=none";
	void *library = open_library(path);
	if (!library)
		return path[0] ? "BATON_CUPTI cannot be loaded" : "no libcupti found";
	for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
		*entries[i].entry = dlsym(library, entries[i].name);
		if (!*entries[i].entry)
			return "an entry is missing in libcupti";
	}
	*(void **)&cupti.stream_id = dlsym(library, "cuptiGetStreamIdEx");
	*(void **)&cupti.device_id = dlsym(library, "cuptiGetDeviceId");
	*(void **)&cupti.context_id = dlsym(library, "cuptiGetContextId");
	return NULL;
}
