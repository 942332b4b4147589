#include "record/output_dir.h"

#include "record/kept_copy.h"
#include "record/output_lock.h"
#include "record/output_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNRECORDED ".baton-unrecorded-"
enum { MARK_BYTES = 64, MOST_NUMBERS = 1000000 };

/* ---- making it ---- */

/* As mkdir -p; what fails shows when the last one is made. Returns how long the path of the first
 * one is that was not there, 0: all were. */
static size_t make_parents(const char *path)
{
	char part[PATH_MAX];
	size_t first = 0;
	snprintf(part, sizeof(part), "%s", path);
	for (char *slash = part + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = 0;
		if (mkdir(part, 0777) == 0 && !first)
			first = (size_t)(slash - part);
		*slash = '/';
	}
	return first;
}

static int make(struct output_dir *out)
{
	size_t n = strlen(out->path);
	while (n > 1 && out->path[n - 1] == '/') /* "runs/x/": x itself is not one of its parents */
		out->path[--n] = 0;
	out->first_made = make_parents(out->path);
	out->is_new = mkdir(out->path, 0700) == 0;
	return out->is_new ? 0 : -errno;
}

/* The first number whose directory did not exist: making it is what claims it. */
static int make_named(const char *pattern, struct output_dir *out)
{
	bool numbered = output_name_is_numbered(pattern);
	for (long n = 1; n <= MOST_NUMBERS; n++) {
		int error = output_name(pattern, n, out->path, sizeof(out->path));
		if (!error)
			error = make(out);
		if (error != -EEXIST || !numbered)
			return error == -EEXIST ? 0 : error;
	}
	return -EEXIST;
}

/* ---- whose it is ---- */

/* Root can do anything anyway; shares of groups and mount points are often root's. */
static bool is_trusted(uid_t owner)
{
	return owner == geteuid() || owner == 0;
}

/* Everybody can put something there, and nobody can take away what is another's: /tmp. */
static bool is_everybodys(const struct stat *parent)
{
	return (parent->st_mode & (S_ISVTX | S_IWOTH)) == (S_ISVTX | S_IWOTH);
}

/* A link that somebody laid out for whoever comes by: what Linux does not follow either under
 * fs.protected_symlinks. */
static bool is_foreign_link(const char *path)
{
	char part[PATH_MAX];
	struct stat link, parent;
	if (lstat(path, &link) != 0 || !S_ISLNK(link.st_mode) || is_trusted(link.st_uid))
		return false;
	snprintf(part, sizeof(part), "%s", path);
	char *slash = strrchr(part, '/');
	if (slash)
		slash[1] = 0;
	return stat(slash ? part : ".", &parent) != 0 ||
		   (is_everybodys(&parent) && parent.st_uid != link.st_uid);
}

/* A directory of another user where anybody can exchange the traces, or that he laid out in a place
 * of everybody's. Another user's alone is a project's: who shares it knows its owner. One that this
 * process made may show another's number (NFS with root_squash, CIFS, FUSE, idmapped mounts). */
static bool is_foreign(struct output_dir *out, int dirfd)
{
	struct stat st, parent;
	if (out->is_new)
		return false;
	if (fstat(dirfd, &st) != 0)
		return true;
	if (is_trusted(st.st_uid))
		return false;
	out->is_others = true;
	return st.st_mode & S_IWOTH || fstatat(dirfd, "..", &parent, 0) != 0 || is_everybodys(&parent);
}

/* ---- what is in it already ---- */

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), bytes = strlen(end);
	return n > bytes && strcmp(name + n - bytes, end) == 0;
}

static const char mkstemp_letters[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
enum { MKSTEMP_LETTERS = 6 };

static bool is_mark(const char *name)
{
	return strncmp(name, ".baton-launch-", 14) == 0 ||
		   strncmp(name, UNRECORDED, strlen(UNRECORDED)) == 0;
}

/* What mkstemp() makes of NAME.XXXXXX. */
static bool is_temporary(const char *ending)
{
	return ending[0] == '.' && strspn(ending + 1, mkstemp_letters) == MKSTEMP_LETTERS &&
		   ending[1 + MKSTEMP_LETTERS] == 0;
}

bool output_dir_is_left(const char *name)
{
	const size_t bytes = strlen(OUTPUT_SUMMARY);
	return strcmp(name, OUTPUT_SUMMARY_LOCK) == 0 ||
		   (strncmp(name, OUTPUT_SUMMARY, bytes) == 0 && is_temporary(name + bytes));
}

/* What follows the number in the name of a copy; NULL: it is none. */
static const char *after_number(const char *name)
{
	const size_t bytes = strlen(OUTPUT_SLOW);
	const size_t digits =
		strncmp(name, OUTPUT_SLOW, bytes) == 0 ? strspn(name + bytes, "0123456789") : 0;
	return digits ? name + bytes + digits : NULL;
}

bool output_dir_is_half_copy(const char *name)
{
	const char *rest = after_number(name);
	return rest && is_temporary(rest);
}

static bool is_copy(const char *name)
{
	const char *rest = after_number(name);
	return rest && (!rest[0] || is_temporary(rest));
}

static bool is_ours(const char *name)
{
	return ends_with(name, ".baton") || ends_with(name, ".baton.part") ||
		   strcmp(name, OUTPUT_SUMMARY) == 0 || output_dir_is_left(name) ||
		   ends_with(name, ".baton.salvage") || ends_with(name, ".baton.keep") || is_mark(name) ||
		   strcmp(name, OUTPUT_SLOW_LOCK) == 0;
}

static bool older(const struct stat *st, const struct timespec *than)
{
	if (st->st_mtim.tv_sec != than->tv_sec)
		return st->st_mtim.tv_sec < than->tv_sec;
	return st->st_mtim.tv_nsec < than->tv_nsec;
}

/* Hidden files make no directory full; marks go with the traces they belong to. What an earlier
 * recording noted of its processes would be counted as this one's. */
static int remove_or_refuse(int dirfd, const char *name, bool force)
{
	if (strncmp(name, UNRECORDED, strlen(UNRECORDED)) == 0)
		force = true;
	if (!force)
		return name[0] == '.' ? 0 : -ENOTEMPTY;
	if (is_copy(name)) {
		kept_copy_remove(dirfd, name);
		return 0;
	}
	return is_ours(name) && unlinkat(dirfd, name, 0) != 0 && errno != ENOENT ? -errno : 0;
}

/* What is older than `since` (NULL: everything). */
static int clear(DIR *dir, const struct timespec *since, bool force)
{
	int error = 0;
	rewinddir(dir);
	for (struct dirent *e; !error && (e = readdir(dir)) != NULL;) {
		struct stat st;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
			fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (!since || older(&st, since))
			error = remove_or_refuse(dirfd(dir), e->d_name, force);
	}
	return error;
}

/* ---- several recordings in one directory ---- */

/* Our mark; a second recording of the same member is an earlier run to itself. */
static int make_mark(int dirfd, const struct launch *launch, const char *prefix, bool force)
{
	char name[MARK_BYTES + 16];
	snprintf(name, sizeof(name), "%s%d", prefix, launch->rank);
	if (force) /* its date is to be new */
		unlinkat(dirfd, name, 0);
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno == EEXIST ? -ENOTEMPTY : -errno;
	close(fd);
	return 0;
}

/* The date of the launch's oldest mark, by the file system's clock, as are those of the traces. A
 * member's trace is younger than its mark. */
static void oldest_mark(DIR *dir, const char *prefix, struct timespec *since)
{
	*since = (struct timespec){INT64_MAX, 0};
	rewinddir(dir);
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		struct stat st;
		if (strncmp(e->d_name, prefix, strlen(prefix)) == 0 &&
			fstatat(dirfd(dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && older(&st, since))
			*since = st.st_mtim;
	}
}

static int join(DIR *dir, const struct launch *launch, bool force)
{
	char prefix[MARK_BYTES];
	struct timespec since;
	snprintf(prefix, sizeof(prefix), ".baton-launch-%016" PRIx64 "-", launch->key);
	int error = make_mark(dirfd(dir), launch, prefix, force);
	if (error)
		return error;
	oldest_mark(dir, prefix, &since);
	return clear(dir, &since, force);
}

static int use(DIR *dir, const struct launch *launch, bool force, struct output_dir *out)
{
	bool shared = launch->size > 1 && launch->is_shared;
	if (faccessat(dirfd(dir), ".", W_OK | X_OK, AT_EACCESS) != 0)
		return -errno;
	out->is_foreign = is_foreign(out, dirfd(dir));
	if (out->is_foreign)
		return -EPERM;
	int error = output_lock_take(dirfd(dir), shared ? launch->key | 1 : 0, launch->rank);
	if (error)
		return error;
	return shared ? join(dir, launch, force) : clear(dir, NULL, force);
}

int output_dir_open(const char *pattern, const struct launch *launch, bool force,
					struct output_dir *out)
{
	*out = (struct output_dir){0};
	int error = make_named(pattern, out);
	out->is_foreign = !error && !out->is_new && is_foreign_link(out->path);
	if (out->is_foreign)
		error = -EPERM;
	DIR *dir = error ? NULL : opendir(out->path);
	if (!error)
		error = dir ? use(dir, launch, force, out) : -errno;
	if (dir)
		closedir(dir);
	if (error) {
		output_lock_release();
		output_dir_undo(out);
	}
	return error;
}

void output_dir_undo(const struct output_dir *out)
{
	char part[PATH_MAX];
	snprintf(part, sizeof(part), "%s", out->path);
	if (out->is_new && rmdir(part) != 0)
		return;
	for (char *slash; out->first_made && (slash = strrchr(part, '/')) != NULL;) {
		*slash = 0;
		if (strlen(part) < out->first_made || rmdir(part) != 0)
			return;
	}
}
