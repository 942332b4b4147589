#include "read/paths.h"

#include "base/room.h"
#include "base/sort.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool paths_is_trace(const char *name)
{
	size_t n = strlen(name);
	return n > 6 && strcmp(name + n - 6, ".baton") == 0;
}

static bool is_wanted(const char *name, bool with_summary)
{
	return paths_is_trace(name) && name[0] != '.' &&
		   (with_summary || strcmp(name, "summary.baton") != 0);
}

static int push(struct paths *paths, char *path)
{
	if (!path || room_next((void **)&paths->at, paths->n, sizeof(*paths->at)) != 0) {
		free(path);
		return -ENOMEM;
	}
	paths->at[paths->n++] = path;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int paths_add(struct paths *paths, const char *operand, bool with_summary)
{
	DIR *stream = opendir(operand);
	if (!stream)
		return errno == ENOTDIR ? push(paths, strdup(operand)) : -errno;
	size_t first = paths->n;
	int error = 0;
	for (struct dirent *entry; !error && (entry = readdir(stream));) {
		char *path = NULL;
		if (!is_wanted(entry->d_name, with_summary))
			continue;
		if (asprintf(&path, "%s/%s", operand, entry->d_name) < 0)
			path = NULL;
		error = push(paths, path);
	}
	closedir(stream);
	if (paths->n > first)
		sort_rows(paths->at + first, paths->n - first, sizeof(*paths->at), by_text);
	return error;
}

static bool is_stored_summary(const char *path)
{
	const char *slash = strrchr(path, '/');
	return strcmp(slash ? slash + 1 : path, "summary.baton") == 0;
}

void paths_leave_summaries(struct paths *paths)
{
	size_t kept = 0;
	for (size_t i = 0; i < paths->n; i++)
		kept += !is_stored_summary(paths->at[i]);
	if (kept == 0)
		return; /* nothing but summaries was asked for */
	kept = 0;
	for (size_t i = 0; i < paths->n; i++) {
		if (is_stored_summary(paths->at[i]))
			free(paths->at[i]);
		else
			paths->at[kept++] = paths->at[i];
	}
	paths->n = kept;
}

void paths_free(struct paths *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		free(paths->at[i]);
	free(paths->at);
	memset(paths, 0, sizeof(*paths));
}
