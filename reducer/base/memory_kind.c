#include "base/memory_kind.h"

#include <string.h>

static const char *const names[BATON_MEMORY_END] = {
	[BATON_MEMORY_UNKNOWN] = "Unknown",
	[BATON_MEMORY_PAGEABLE] = "Pageable",
	[BATON_MEMORY_PINNED] = "Pinned",
	[BATON_MEMORY_DEVICE] = "Device",
	[BATON_MEMORY_ARRAY] = "Array",
	[BATON_MEMORY_MANAGED] = "Managed",
	[BATON_MEMORY_DEVICE_STATIC] = "Device Static",
	[BATON_MEMORY_MANAGED_STATIC] = "Managed Static",
};

const char *memory_kind_name(int64_t kind)
{
	return names[kind >= 0 && kind < BATON_MEMORY_END ? kind : BATON_MEMORY_UNKNOWN];
}

enum baton_memory memory_kind_find(const char *at, size_t bytes)
{
	for (int kind = 0; kind < BATON_MEMORY_END; kind++)
		if (strlen(names[kind]) == bytes && memcmp(names[kind], at, bytes) == 0)
			return (enum baton_memory)kind;
	return BATON_MEMORY_UNKNOWN;
}
