#include "classify/host_classes.h"

#include <stddef.h>
#include <string.h>

#define CLASS_NAMES(X)                                                                           \
	X("alloc", HOST_MASK(HOST_BIT_ALLOC), HOST_MASK(HOST_BIT_DRIVING))                           \
	X("free", HOST_MASK(HOST_BIT_ALLOC), HOST_MASK(HOST_BIT_FREE) | HOST_MASK(HOST_BIT_DRIVING)) \
	X("input", HOST_MASK(HOST_BIT_INPUT), 0)                                                     \
	X("module_load", HOST_MASK(HOST_BIT_MODULE_LOAD), HOST_MASK(HOST_BIT_DRIVING))               \
	X("nccl_host", HOST_MASK(HOST_BIT_NCCL_HOST), 0)                                             \
	X("none", 0, 0)                                                                              \
	X("sync", HOST_MASK(HOST_BIT_SYNC), HOST_MASK(HOST_BIT_DRIVING))

#define NAME_TEXT(name, ...) name " "
const char host_class_names[] = CLASS_NAMES(NAME_TEXT);

bool host_class_find(const char *name, bool of_call, uint32_t *mask)
{
	static const struct {
		const char *name;
		uint32_t any, call; /* what it means, and what more of a call */
	} classes[] = {
#define X(name, any, call) {name, any, call},
		CLASS_NAMES(X)
#undef X
	};
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strcmp(classes[i].name, name) != 0)
			continue;
		*mask = classes[i].any | (of_call ? classes[i].call : 0);
		return true;
	}
	return false;
}
