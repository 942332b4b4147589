#include "record/output_name.h"

#include "base/diag.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct text {
	char *at;
	size_t n, room;
};

static int add(struct text *out, const char *what, size_t bytes)
{
	if (out->n + bytes >= out->room)
		return -ENAMETOOLONG;
	memcpy(out->at + out->n, what, bytes);
	out->n += bytes;
	out->at[out->n] = 0;
	return 0;
}

/* %q{NAME}: *at stands behind the q. */
static int add_variable(struct text *out, const char **at)
{
	const char *end = **at == '{' ? strchr(*at, '}') : NULL;
	char name[128];
	if (!end || (size_t)(end - *at - 1) >= sizeof(name)) {
		diag("-o: expected %%q{NAME}");
		return -EINVAL;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(end - *at - 1), *at + 1);
	*at = end + 1;
	const char *value = getenv(name);
	if (!value) {
		diag("-o: %%q{%s}: no such environment variable", name);
		return -EINVAL;
	}
	return add(out, value, strlen(value));
}

static int add_escape(struct text *out, const char **at, long number)
{
	char word[300] = "";
	char what = *(*at)++;
	switch (what) {
	case 'q':
		return add_variable(out, at);
	case 'h':
		gethostname(word, sizeof(word) - 1);
		break;
	case 'p':
		snprintf(word, sizeof(word), "%ld", (long)getpid());
		break;
	case 'n':
		snprintf(word, sizeof(word), "%ld", number);
		break;
	case '%':
		snprintf(word, sizeof(word), "%%");
		break;
	default:
		diag("-o: %%%c is unknown; there are %%q{ENV} %%h %%p %%n %%%%", what ? what : ' ');
		return -EINVAL;
	}
	return add(out, word, strlen(word));
}

static int expand(const char *pattern, char *path, size_t room, long number)
{
	struct text out = {path, 0, room};
	int error = 0;
	path[0] = 0;
	while (*pattern && !error) {
		size_t plain = strcspn(pattern, "%");
		error = add(&out, pattern, plain);
		pattern += plain;
		if (!error && *pattern == '%') {
			pattern++;
			error = add_escape(&out, &pattern, number);
		}
	}
	return error;
}

static int has_number(const char *pattern)
{
	for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at += 2)
		if (at[1] == 'n')
			return 1;
		else if (!at[1])
			return 0;
	return 0;
}

int output_name(const char *pattern, char *path, size_t room)
{
	int error = expand(pattern, path, room, 1);
	if (!has_number(pattern))
		return error;
	for (long n = 2; !error && access(path, F_OK) == 0; n++)
		error = expand(pattern, path, room, n);
	return error;
}

/* ---- the directory ---- */

static int make_directories(const char *path)
{
	char part[4096];
	if (snprintf(part, sizeof(part), "%s", path) >= (int)sizeof(part))
		return -ENAMETOOLONG;
	for (char *slash = part + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = 0;
		if (mkdir(part, 0777) != 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return mkdir(part, 0700) != 0 && errno != EEXIST ? -errno : 0;
}

static int is_ours(const char *name)
{
	size_t n = strlen(name);
	return n > 6 && strcmp(name + n - 6, ".baton") == 0;
}

/* Removes what an earlier run left, or says that there is something. */
static int clear(DIR *dir, int force)
{
	for (struct dirent *e; (e = readdir(dir)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		if (!force)
			return -EEXIST;
		if (is_ours(e->d_name) && unlinkat(dirfd(dir), e->d_name, 0) != 0)
			return -errno;
	}
	return 0;
}

int output_create(const char *path, int force)
{
	int error = make_directories(path);
	DIR *dir = error ? NULL : opendir(path);
	if (!dir)
		return error ? error : -errno;
	error = clear(dir, force);
	if (!error && faccessat(dirfd(dir), ".", W_OK | X_OK, AT_EACCESS) != 0)
		error = -errno;
	closedir(dir);
	return error;
}
