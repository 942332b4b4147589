#include "base/source.h"

#include <string.h>

enum source_kind source_kind(const char *text)
{
	static const char *const names[] = {
		[SOURCE_OTHER] = "",        [SOURCE_BATON] = "baton", [SOURCE_SIMGPU] = "simgpu",
		[SOURCE_KINETO] = "kineto", [SOURCE_NSYS] = "nsys",   [SOURCE_NVPROF] = "nvprof"};
	for (int kind = SOURCE_BATON; kind <= SOURCE_NVPROF; kind++)
		if (strcmp(text, names[kind]) == 0)
			return (enum source_kind)kind;
	return SOURCE_OTHER;
}
