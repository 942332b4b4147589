#include "record/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int environment_library(char *path, size_t room)
{
	static const char *const places[] = {"%s/libbaton.so", "%s/../lib/baton/libbaton.so"};
	char self[4096], *slash;
	const char *named = getenv("BATON_LIB");
	if (named && *named) {
		char absolute[4096];
		if (!realpath(named, absolute))
			return -ENOENT;
		snprintf(path, room, "%s", absolute);
		return 0;
	}
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n <= 0)
		return -ENOENT;
	self[n] = 0;
	slash = strrchr(self, '/');
	if (slash)
		*slash = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, room, places[i], self);
		if (access(path, R_OK) == 0)
			return 0;
	}
	return -ENOENT;
}

static int set_text(const char *name, const char *value)
{
	return value ? setenv(name, value, 1) : 0;
}

/* Ours first: what the user preloads keeps its place after it. */
static int set_preload(const char *library)
{
	const char *before = getenv("LD_PRELOAD");
	char *all;
	if (!before || !*before)
		return setenv("LD_PRELOAD", library, 1);
	if (asprintf(&all, "%s:%s", library, before) < 0)
		return -1;
	int failed = setenv("LD_PRELOAD", all, 1);
	free(all);
	return failed;
}

/* Where Python looks first: our sitecustomize, which lies beside the library. */
static int set_python(const char *library)
{
	const char *slash = strrchr(library, '/'), *before = getenv("PYTHONPATH");
	const char *wanted = getenv("BATON_STEP_MARKS");
	char *all, file[4096];
	int folder = slash ? (int)(slash - library) : 0;
	snprintf(file, sizeof(file), "%.*s/python/sitecustomize.py", folder, library);
	if ((wanted && strcmp(wanted, "off") == 0) || !folder || access(file, R_OK) != 0)
		return 0;
	bool more = before && *before;
	if (asprintf(&all, "%.*s/python%s%s", folder, library, more ? ":" : "", more ? before : "") < 0)
		return -1;
	int failed = setenv("PYTHONPATH", all, 1);
	free(all);
	return failed;
}

int environment_set(const struct recording *r)
{
	int failed = set_text("BATON_OUT", r->directory) | set_text("BATON_RUN_ID", r->run_id) |
				 set_text("BATON_TRACE", r->trace) | set_text("BATON_STACKS", r->stacks) |
				 set_text("BATON_GRAPHS", r->graphs) | set_text("BATON_BACKWARD", r->backward) |
				 set_text("BATON_STEP_MARKS", r->step_marks) | set_text("BATON_WINDOW", r->window) |
				 set_text("BATON_HOST_CLOCK", r->host_clock) |
				 set_text("BATON_KEEP_LAST", r->keep_last) |
				 set_text("BATON_VERBOSE", r->verbose ? "1" : NULL) | set_preload(r->library);
	failed |= set_python(r->library);
	return failed ? -ENOMEM : 0;
}
