#include "attribute/carried.h"

#include <stddef.h>
#include <string.h>

#define IMPORTS_LACK                                                                             \
	(LEAF_BIT(LEAF_HOST_NO_CORE) | LEAF_BIT(LEAF_HOST_BLOCKED) | LEAF_BIT(LEAF_HOST_HOST_FUNC) | \
	 LEAF_BIT(LEAF_GPU_DEPENDENCY))

static const struct {
	const char *source;
	uint64_t lacks;
	uint64_t lacks_without_ranges;
} table[] = {
	{"kineto", IMPORTS_LACK | LEAF_BIT(LEAF_WORK_GRAPH), 0},
	{"baton", LEAF_BIT(LEAF_WORK_GRAPH), 0},
	{"simgpu", LEAF_BIT(LEAF_WORK_GRAPH), 0},
	{"nsys", IMPORTS_LACK, LEAF_BIT(LEAF_HOST_INPUT) | LEAF_BIT(LEAF_HOST_NCCL_HOST)},
};

uint64_t carried_leaves(const char *source, bool has_ranges)
{
	uint64_t all = (UINT64_C(1) << LEAF_COUNT) - 1;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(source, table[i].source) == 0)
			return all & ~table[i].lacks & ~(has_ranges ? 0 : table[i].lacks_without_ranges);
	return all & ~IMPORTS_LACK;
}
