/* Writes what this process saw of CUPTI (activity.h) as a fixture (FORMAT.md). */
#ifndef PROBE_FIXTURE_WRITE_H
#define PROBE_FIXTURE_WRITE_H

#include "activity.h"

#include <stdio.h>

struct fixture_source {
	const struct activity_buffer *buffers; /* those without bytes are left out */
	const struct call_seen *calls;
	size_t buffer_count, call_count;
	const char *meta;
	uint32_t cupti_version, driver_version;
};

/* Name pointers are followed: the process that CUPTI runs in must write. 0 or -errno. */
int fixture_write(const char *path, const struct fixture_source *source);

#endif
