/* What kind of tool a trace comes from: the text `source` of its process record. */
#ifndef BASE_SOURCE_H
#define BASE_SOURCE_H

#include <stdbool.h>

enum source_kind {
	SOURCE_OTHER, /* a tool that is not known here */
	SOURCE_BATON,
	SOURCE_SIMGPU,
	SOURCE_KINETO,
	SOURCE_NSYS
};

enum source_kind source_kind(const char *text);

/* Recorded in the job by baton or its simulator, not imported from another tool's files. */
static inline bool source_is_recorded(enum source_kind kind)
{
	return kind == SOURCE_BATON || kind == SOURCE_SIMGPU;
}

#endif
