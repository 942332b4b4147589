#include "attribute/carried.h"

#include "summary/leaf.h"

#define IMPORTS_LACK                                                                             \
	(LEAF_BIT(LEAF_HOST_NO_CORE) | LEAF_BIT(LEAF_HOST_BLOCKED) | LEAF_BIT(LEAF_HOST_HOST_FUNC) | \
	 LEAF_BIT(LEAF_GPU_DEPENDENCY))

uint64_t carried_leaves(enum source_kind source, bool has_ranges)
{
	uint64_t lacks = IMPORTS_LACK;
	if (source_is_recorded(source))
		lacks = LEAF_BIT(LEAF_WORK_GRAPH);
	else if (source == SOURCE_KINETO)
		lacks |= LEAF_BIT(LEAF_WORK_GRAPH);
	else if (source == SOURCE_NVPROF || (source == SOURCE_NSYS && !has_ranges))
		lacks |= LEAF_BIT(LEAF_HOST_INPUT) | LEAF_BIT(LEAF_HOST_NCCL_HOST);
	return ((UINT64_C(1) << LEAF_COUNT) - 1) & ~lacks;
}
