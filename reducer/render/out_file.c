#include "render/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int out_dir_make(const char *dir)
{
	struct stat status;
	if (mkdir(dir, 0777) == 0)
		return 0;
	if (errno != EEXIST)
		return -errno;
	return stat(dir, &status) != 0 ? -errno : S_ISDIR(status.st_mode) ? 0 : -ENOTDIR;
}

static int open_temporary(struct out_file *file)
{
	unlink(file->temporary); /* of a writer that was interrupted */
	int fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	file->out = fdopen(fd, "w");
	if (file->out)
		return 0;
	int error = -errno;
	close(fd);
	unlink(file->temporary);
	return error;
}

int out_file_open(struct out_file *file, const char *dir, const char *name)
{
	memset(file, 0, sizeof(*file));
	if (asprintf(&file->path, "%s/%s", dir, name) < 0)
		file->path = NULL;
	if (asprintf(&file->temporary, "%s/.%s.part", dir, name) < 0)
		file->temporary = NULL;
	int error = file->path && file->temporary ? open_temporary(file) : -ENOMEM;
	if (error) {
		free(file->path);
		free(file->temporary);
	}
	return error;
}

int out_file_open_path(struct out_file *file, const char *path)
{
	struct stat status;
	const char *slash = strrchr(path, '/');
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? -EISDIR : -EEXIST;
	char *dir = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
	const int error = dir ? out_file_open(file, dir, slash ? slash + 1 : path) : -ENOMEM;
	free(dir);
	return error;
}

int out_file_close(struct out_file *file, int error)
{
	errno = 0;
	if (!error && (fflush(file->out) != 0 || ferror(file->out)))
		error = errno ? -errno : -EIO;
	if (fclose(file->out) != 0 && !error)
		error = -errno;
	if (!error && rename(file->temporary, file->path) != 0)
		error = -errno;
	if (error)
		unlink(file->temporary);
	free(file->path);
	free(file->temporary);
	return error;
}
