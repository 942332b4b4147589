/* The kind of tool that a trace comes from, by the text `source` of its process record. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdbool.h>

enum source_kind {
	SOURCE_OTHER, /* an unknown tool */
	SOURCE_BATON,
	SOURCE_SIMGPU,
	SOURCE_KINETO,
	SOURCE_NSYS,
	SOURCE_NVPROF
};

enum source_kind source_kind(const char *text);

/* Was the trace recorded in the job by baton or its simulator, not imported from another tool's
 * files? */
static inline bool source_is_recorded(enum source_kind kind)
{
	return kind == SOURCE_BATON || kind == SOURCE_SIMGPU;
}

#endif
