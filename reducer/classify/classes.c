#include "classify/classes.h"

#include <string.h>

static const struct {
	enum group group;
	const char *name;
} CLASS_OF[CLASS_COUNT] = {
#define X(id, group, name) {GROUP_##group, name},
	CLASSES(X)
#undef X
};

const char *group_name(enum group group)
{
	static const char *const names[GROUP_COUNT] = {"matmul", "memory", "custom", "nccl", "other"};
	return names[group];
}

enum group class_group(enum class_id class)
{
	return CLASS_OF[class].group;
}

const char *class_name(enum class_id class)
{
	return CLASS_OF[class].name;
}

int class_find(const char *name, size_t bytes)
{
	for (int i = 0; i < CLASS_COUNT; i++)
		if (strlen(CLASS_OF[i].name) == bytes && memcmp(CLASS_OF[i].name, name, bytes) == 0)
			return i;
	return -1;
}
