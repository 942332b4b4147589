#include "import/staging.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_trace_name(const char *name)
{
	size_t bytes = strlen(name);
	return bytes > 6 && strcmp(name + bytes - 6, ".baton") == 0;
}

/* Calls `act` for every trace of a directory; the first -errno, else the number of traces. */
static int for_each(const char *path, int (*act)(int dirfd, const char *name, int context),
					int context)
{
	DIR *dir = opendir(path);
	int n = 0, error = 0;
	if (!dir)
		return -errno;
	for (struct dirent *e; (e = readdir(dir));) {
		if (!is_trace_name(e->d_name))
			continue;
		n++;
		if (act && act(dirfd(dir), e->d_name, context) != 0 && !error)
			error = -errno;
	}
	closedir(dir);
	return error ? error : n;
}

static int remove_one(int dirfd, const char *name, int context)
{
	(void)context;
	return unlinkat(dirfd, name, 0);
}

static int move_one(int dirfd, const char *name, int target)
{
	return renameat(dirfd, name, target, name);
}

int staging_count(const char *dir)
{
	return for_each(dir, NULL, 0);
}

int staging_open(const char *dir, char **path)
{
	if (asprintf(path, "%s/.importing.%d", dir, (int)getpid()) < 0) {
		*path = NULL;
		return -ENOMEM;
	}
	if (mkdir(*path, 0700) == 0)
		return 0;
	int error = -errno;
	free(*path);
	*path = NULL;
	return error;
}

int staging_publish(char *path, const char *dir)
{
	int target = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int n = target < 0 ? -errno : for_each(dir, remove_one, 0);
	if (n >= 0)
		n = for_each(path, move_one, target);
	if (target >= 0)
		close(target);
	staging_discard(path);
	return n < 0 ? n : 0;
}

static int remove_any(const char *path, const struct stat *status, int kind, struct FTW *at)
{
	(void)status;
	(void)kind;
	(void)at;
	remove(path); /* what is left shows at the end */
	return 0;
}

bool staging_remove(const char *path)
{
	nftw(path, remove_any, 8, FTW_DEPTH | FTW_PHYS);
	return access(path, F_OK) != 0 && errno == ENOENT;
}

void staging_discard(char *path)
{
	staging_remove(path);
	free(path);
}
