#include "record/kept_copy.h"

#include "read/copy_trace.h"
#include "read/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One that is no trace, has nothing yet, or was removed meanwhile. */
static bool is_left_out(int error)
{
	return error == -EBADMSG || error == -EINVAL || error == -EISDIR || error == -ENODATA ||
		   error == -ENOENT;
}

static int copy_one(const char *path, const char *into, struct kept_copy *copy)
{
	const char *slash = strrchr(path, '/');
	char *to = NULL;
	struct stat st;
	if (asprintf(&to, "%s/%s", into, slash ? slash + 1 : path) < 0)
		return -ENOMEM;
	struct copy_of of = {.from = path, .to = to, .stop = copy->stop};
	int error = copy_trace(&of);
	if (error == 0 && stat(to, &st) == 0) {
		copy->traces++;
		copy->bytes += (uint64_t)st.st_size;
	}
	free(to);
	if ((of.unread || error == -ENODATA) && is_left_out(error))
		return 0;
	if (error && of.unread)
		snprintf(copy->unread, sizeof(copy->unread), "%s", path);
	return error;
}

static int copy_all(const char *from, const char *into, struct kept_copy *copy)
{
	struct paths paths = {0};
	int error = paths_add(&paths, from, false);
	if (error)
		snprintf(copy->unread, sizeof(copy->unread), "%s", from);
	for (size_t i = 0; !error && i < paths.n; i++)
		error = copy_one(paths.at[i], into, copy);
	paths_free(&paths);
	return error ? error : copy->traces ? 0 : -ENODATA;
}

int kept_copy_make(const char *from, const char *to, struct kept_copy *copy)
{
	struct stat st;
	char *into = NULL;
	*copy = (struct kept_copy){.stop = copy->stop};
	if (lstat(to, &st) == 0)
		return -EEXIST;
	if (asprintf(&into, "%s.XXXXXX", to) < 0)
		return -ENOMEM;
	int error = mkdtemp(into) ? 0 : -errno;
	if (!error) {
		error = copy_all(from, into, copy);
		if (!error && rename(into, to) != 0)
			error = errno == ENOTEMPTY ? -EEXIST : -errno;
		if (error)
			kept_copy_remove(AT_FDCWD, into);
	}
	free(into);
	return error;
}

void kept_copy_remove(int in, const char *name)
{
	const int fd = openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	for (const struct dirent *entry; dir && (entry = readdir(dir));)
		if (paths_is_trace(entry->d_name))
			unlinkat(fd, entry->d_name, 0);
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
	unlinkat(in, name, AT_REMOVEDIR);
}
