#include "export/timeline_files.h"

#include "base/diag.h"
#include "export/scene.h"
#include "import/interrupted.h"
#include "import/staging.h"
#include "render/out_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* ---- gzip ---- */

static ssize_t gzip_write(void *file, const char *at, size_t bytes)
{
	const int written = gzwrite(file, at, bytes > 1 << 20 ? 1 << 20 : (unsigned)bytes);
	if (written <= 0 && bytes > 0)
		errno = errno ? errno : EIO;
	return written < 0 ? 0 : written;
}

static int gzip_close(void *file)
{
	errno = 0;
	if (gzclose(file) == Z_OK)
		return 0;
	errno = errno ? errno : EIO;
	return EOF;
}

FILE *timeline_gzip(int fd)
{
	gzFile file = gzdopen(fd, "wb6");
	if (!file) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	FILE *out =
		fopencookie(file, "w", (cookie_io_functions_t){.write = gzip_write, .close = gzip_close});
	if (out)
		setvbuf(out, NULL, _IOFBF, 1 << 16);
	else
		gzclose(file);
	return out;
}

/* ---- where it is written ---- */

struct place {
	char *dir, *name; /* of the file; with a directory its own name, and NULL */
	char *staging;
	bool made;  /* the directory was not there */
	bool old;   /* it holds an earlier export, which -f replaces */
	char *real; /* then its path without links, where the staging directory stands beside it */
	mode_t mode;
};

static int split(struct place *place, const char *path, bool directory)
{
	const char *slash = directory ? NULL : strrchr(path, '/');
	if (directory)
		place->dir = strdup(path);
	else if (!slash)
		place->dir = strdup(".");
	else
		place->dir = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	place->name = directory ? NULL : strdup(slash ? slash + 1 : path);
	return place->dir && (directory || place->name) ? 0 : -ENOMEM;
}

static bool is_dot(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* A directory has nothing in it yet: files of another run would be read as ranks of this one. */
static int refuse_full(const char *path)
{
	staging_sweep(path);
	DIR *dir = opendir(path);
	int error = dir ? 0 : -errno;
	for (struct dirent *e; dir && !error && (e = readdir(dir));)
		error = is_dot(e->d_name) ? 0 : -ENOTEMPTY;
	if (dir)
		closedir(dir);
	return error;
}

/* Are we in this directory, or below it? */
static bool holds_us(const char *dir)
{
	char *here = getcwd(NULL, 0);
	const size_t n = strlen(dir);
	const bool holds = here && strncmp(here, dir, n) == 0 && (here[n] == '/' || !here[n]);
	free(here);
	return holds;
}

/* Makes the staging directory beside the old one, so that the two can change places at one moment.
 * Not where that is another file system, or nothing can be made there; nor where the shell that
 * called us would stand in a directory that is gone. */
static bool open_beside(struct place *place)
{
	struct stat own, around;
	char *parent = NULL, *real = realpath(place->dir, NULL);
	const char *slash = real ? strrchr(real, '/') : NULL;
	if (slash && slash[1] && !holds_us(real))
		parent = strndup(real, slash == real ? 1 : (size_t)(slash - real));
	if (!parent || stat(real, &own) != 0 || stat(parent, &around) != 0 ||
		own.st_dev != around.st_dev || staging_open(parent, &place->staging) != 0) {
		free(real);
		real = NULL;
	}
	free(parent);
	place->real = real;
	place->mode = real ? own.st_mode & 07777 : 0;
	return real != NULL;
}

static int open_place(struct place *place, const struct export_job *job,
					  const struct timeline_form *form)
{
	const char *path = job->output;
	int error = split(place, path, form->directory);
	if (!error && form->directory) {
		place->made = access(path, F_OK) != 0;
		error = out_dir_make(path);
		error = error ? error : refuse_full(path);
	}
	place->old = error == -ENOTEMPTY && form->is_old && form->is_old(path);
	if (place->old && job->replace)
		error = 0;
	if (!error && place->old && open_beside(place))
		return 0;
	return error ? error : staging_open(place->dir, &place->staging);
}

static void close_place(struct place *place)
{
	if (place->staging)
		staging_discard(place->staging);
	if (place->made)
		rmdir(place->dir); /* fails where something is in it */
	free(place->dir);
	free(place->name);
	free(place->real);
}

#define OLD ".old."

/* Moves an entry to its name. A directory that has the name already goes into the staging directory,
 * with which it is removed; it comes back where the new one cannot be moved. 0 or -errno. */
static int move_in(int from, int to, const char *name)
{
	char *old;
	if (renameat(from, name, to, name) == 0)
		return 0;
	int error = -errno;
	if (error != -ENOTEMPTY && error != -EEXIST)
		return error;
	if (asprintf(&old, OLD "%s", name) < 0)
		return -ENOMEM;
	error = renameat(to, name, from, old) == 0 ? 0 : -errno;
	if (!error && renameat(from, name, to, name) != 0) {
		error = -errno;
		renameat(from, old, to, name);
	}
	free(old);
	return error;
}

/* The new directory in the place of the old one, which is then the one to be removed. False: this
 * file system cannot. */
static bool swap(const struct place *place)
{
	return place->real && chmod(place->staging, place->mode) == 0 &&
		   renameat2(AT_FDCWD, place->staging, AT_FDCWD, place->real, RENAME_EXCHANGE) == 0;
}

/* Moves each file of the staging directory to its name. */
static int publish(const struct place *place, const struct timeline_form *form)
{
	/* what somebody has put there in the meantime stays */
	if (place->old && form->is_old(place->dir) && swap(place))
		return 0;
	const int from = open(place->staging, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const int to = open(place->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = from < 0 ? NULL : fdopendir(from);
	int error = dir && to >= 0 ? 0 : -errno;
	for (struct dirent *e; dir && !error && (e = readdir(dir));)
		if (!is_dot(e->d_name) && strncmp(e->d_name, OLD, sizeof(OLD) - 1) != 0)
			error = move_in(from, to, e->d_name);
	if (dir)
		closedir(dir);
	else if (from >= 0)
		close(from);
	if (to >= 0)
		close(to);
	return error;
}

/* ---- writing ---- */

static FILE *create(const struct place *place)
{
	char *path;
	const size_t bytes = strlen(place->name);
	if (asprintf(&path, "%s/%s", place->staging, place->name) < 0) {
		errno = ENOMEM;
		return NULL;
	}
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	free(path);
	if (fd < 0)
		return NULL;
	if (bytes > 3 && strcmp(place->name + bytes - 3, ".gz") == 0)
		return timeline_gzip(fd);
	FILE *out = fdopen(fd, "w");
	if (!out)
		close(fd);
	return out;
}

static int write_file(const struct timeline_form *form, const struct scene *scene,
					  const struct place *place, uint64_t *crowded)
{
	FILE *out = create(place);
	if (!out)
		return -errno;
	int error = form->write(scene, out, NULL, crowded);
	errno = 0;
	if (!error && (fflush(out) != 0 || ferror(out)))
		error = errno ? -errno : -EIO;
	if (fclose(out) != 0 && !error)
		error = errno ? -errno : -EIO;
	return error;
}

static int write_all(const struct timeline_form *form, const struct scene *scene,
					 struct place *place, uint64_t *crowded)
{
	int error = interrupted_watch(place->staging, place->made ? place->dir : NULL);
	if (!error)
		error = form->directory ? form->write(scene, NULL, place->staging, crowded)
								: write_file(form, scene, place, crowded);
	interrupted_stop();
	return error ? error : publish(place, form);
}

static void say_left(const struct export_job *job, const struct scene *scene, uint64_t crowded)
{
	char words[CLOCK_WORDS];
	if (scene->n_hosts > 1)
		diag("%s: %s", job->dirs[0], scene_clock_words(scene, words));
	if (scene->left)
		diag("%s: %" PRIu64 " slices, up to %.6f s; at least %" PRIu64
			 " later ones are left out: choose a part with --step, --time or --rank, or raise "
			 "--max-slices (0: all)",
			 job->output, scene->slices, (double)scene->cut_ns / 1e9, scene->left);
	if (crowded)
		diag("%s: %" PRIu64 " slices are left out: too many of a thread or stream overlap",
			 job->output, crowded);
}

static int write_scene(const struct export_job *job, const struct timeline_form *form,
					   const struct scene *scene)
{
	struct place place = {0};
	uint64_t crowded = 0;
	interrupted_hold();
	int error = open_place(&place, job, form);
	if (!error)
		error = write_all(form, scene, &place, &crowded);
	if (!error)
		place.made = false;
	close_place(&place);
	interrupted_end();
	if (error == -ENOTEMPTY && place.old)
		diag("%s: tables are in it already; -f replaces them", job->output);
	else if (error == -ENOTEMPTY && job->replace && !form->is_old)
		diag(
			"%s: files are in it, and -f removes none: a profiler's own traces look the same; give "
			"a new directory",
			job->output);
	else if (error == -ENOTEMPTY)
		diag("%s: files are in it already: give a new directory", job->output);
	else if (error && error != -ECANCELED)
		diag("%s: %s", job->output, strerror(-error));
	else if (!error)
		say_left(job, scene, crowded);
	return error == -ECANCELED ? STATUS_INPUT : error ? STATUS_OUTPUT : STATUS_OK;
}

int timeline_write(const struct export_job *job, const struct timeline_form *form)
{
	struct scene scene;
	if (!form->directory && !job->replace && access(job->output, F_OK) == 0) {
		diag("%s: is there already; -f replaces it", job->output);
		return STATUS_USAGE;
	}
	int status = form->bare ? scene_open_bare(&scene, job) : scene_open(&scene, job);
	if (status != STATUS_OK)
		return status;
	status = status_worse(scene.status, write_scene(job, form, &scene));
	scene_close(&scene);
	return status;
}
