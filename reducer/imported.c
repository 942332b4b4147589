#include "imported.h"

#include "base/diag.h"
#include "base/room.h"
#include "import_files.h"
#include "read/paths.h"

#include <baton/version.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define SUFFIX ".imported"
#define MARK "/.source" /* in the directory: what it was made of */

enum { SOURCE_BYTES = 64, MARK_BYTES = 128 };

/* Texts that stand in the place of arguments live as long as those: until the program ends. */
static struct {
	char **at;
	size_t n;
} held;

/* Frees `text` and returns NULL when there is no memory. */
static char *keep(char *text)
{
	if (text && room_next((void **)&held.at, held.n, sizeof(*held.at)) == 0)
		return held.at[held.n++] = text;
	free(text);
	return NULL;
}

/* ---- what is imported ---- */

/* Files of a directory that an import would try, in any order. */
struct files {
	uint64_t hash; /* of their names, sizes and times */
	size_t n;
	bool has_traces; /* baton's own: then it is a run, whatever else is in it */
	bool has_profile;
};

static void take_file(struct files *files, const char *dir, const char *name, const struct stat *st)
{
	const int64_t facts[3] = {st->st_size, st->st_mtim.tv_sec, st->st_mtim.tv_nsec};
	char *path;
	files->n++;
	files->hash += XXH3_64bits_withSeed(name, strlen(name), XXH3_64bits(facts, sizeof(facts)));
	if (files->has_profile || asprintf(&path, "%s/%s", dir, name) < 0)
		return;
	files->has_profile = import_knows(path);
	free(path);
}

static void look_into(const char *path, struct files *files)
{
	DIR *dir = opendir(path);
	struct stat st;
	*files = (struct files){0};
	for (struct dirent *e; dir && !files->has_traces && (e = readdir(dir));)
		files->has_traces = paths_is_trace(e->d_name);
	if (dir && !files->has_traces)
		rewinddir(dir);
	for (struct dirent *e; dir && !files->has_traces && (e = readdir(dir));)
		if (e->d_name[0] != '.' && fstatat(dirfd(dir), e->d_name, &st, 0) == 0 &&
			S_ISREG(st.st_mode))
			take_file(files, path, e->d_name, &st);
	if (dir)
		closedir(dir);
}

/* Says in `text` which bytes the operand has. False: it is no profile of another tool. One that no
 * importer reads is left to the import if it is the only operand: that says what to do with it. */
static bool describe(const char *path, bool only, char text[SOURCE_BYTES])
{
	struct stat st;
	struct files files;
	if (stat(path, &st) != 0)
		return false;
	if (S_ISREG(st.st_mode)) {
		snprintf(text, SOURCE_BYTES, "%lld bytes, %lld.%09ld", (long long)st.st_size,
				 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
		return !paths_is_trace(path) && (only ? import_names(path) : import_knows(path));
	}
	if (!S_ISDIR(st.st_mode))
		return false;
	look_into(path, &files);
	snprintf(text, SOURCE_BYTES, "%zu files, %016" PRIx64, files.n, files.hash);
	return files.has_profile && !files.has_traces;
}

/* ---- the mark ---- */

/* Another version of baton may read more of the same bytes. */
static void mark_text(const char *source, int status, char text[MARK_BYTES])
{
	snprintf(text, MARK_BYTES, "%s, baton %s, status %d\n", source, BATON_VERSION, status);
}

/* The status of the import that made the directory; -1: of something else, or of none. */
static int status_of(const char *mark, const char *source)
{
	static const int usable[] = {STATUS_OK, STATUS_PARTIAL};
	char found[MARK_BYTES] = "", expected[MARK_BYTES];
	FILE *file = fopen(mark, "r");
	const bool read = file && fgets(found, sizeof(found), file);
	if (file)
		fclose(file);
	for (size_t i = 0; read && i < sizeof(usable) / sizeof(usable[0]); i++) {
		mark_text(source, usable[i], expected);
		if (strcmp(found, expected) == 0)
			return usable[i];
	}
	return -1;
}

/* Without the mark the next command imports again, which is no harm. */
static void write_mark(const char *mark, const char *source, int status)
{
	char text[MARK_BYTES];
	mark_text(source, status, text);
	FILE *file = fopen(mark, "w");
	if (!file)
		return;
	const bool whole = fputs(text, file) >= 0;
	if (fclose(file) != 0 || !whole)
		unlink(mark);
}

/* ---- importing ---- */

static int import_beside(char *const *paths, size_t n, const char *source, char *dir)
{
	char *mark;
	if (asprintf(&mark, "%s%s", dir, MARK) < 0)
		return STATUS_INPUT;
	int status = status_of(mark, source);
	if (status < 0) {
		unlink(mark);
		status = (int)import_files(&(struct import_request){.paths = paths,
															.n_paths = n,
															.out_dir = dir,
															.rank = -1,
															.force = true,
															.on_the_way = true});
		if (status == STATUS_OK || status == STATUS_PARTIAL)
			write_mark(mark, source, status);
	}
	if (status == STATUS_OUTPUT)
		diag("%s is imported into a directory beside it; `baton import -o DIR` makes it elsewhere",
			 paths[0]);
	free(mark);
	return status;
}

/* The directory beside `path`: of "runs/x/" it is runs/x.imported, of "." that of its name, and
 * with two more operands of one run runs/x+2.imported. NULL: no memory. */
static char *directory_beside(const char *path, size_t more)
{
	char *dir, *absolute = NULL, plus[24] = "";
	size_t bytes = strlen(path);
	while (bytes > 1 && path[bytes - 1] == '/')
		bytes--;
	const char *slash = memrchr(path, '/', bytes), *name = slash ? slash + 1 : path;
	const size_t name_bytes = bytes - (size_t)(name - path);
	if (name_bytes <= 2 && strncmp(name, "..", name_bytes) == 0) {
		absolute = realpath(path, NULL);
		path = absolute ? absolute : path;
		bytes = strlen(path);
	}
	if (more)
		snprintf(plus, sizeof(plus), "+%zu", more);
	if (asprintf(&dir, "%.*s%s%s", (int)bytes, path, plus, SUFFIX) < 0)
		dir = NULL;
	free(absolute);
	return dir;
}

/* Imports those of the parts of one run that are profiles, together; the directory that they become
 * stands in the place of the first. */
static int import_parts(char **parts, size_t *n)
{
	char source[SOURCE_BYTES], one[SOURCE_BYTES];
	char **profiles = malloc((*n + 1) * sizeof(*profiles));
	size_t n_profiles = 0, first = 0, kept = 0;
	uint64_t hash = 0;
	for (size_t i = 0; profiles && i < *n; i++) {
		if (!describe(parts[i], *n == 1, one)) {
			parts[kept++] = parts[i];
			continue;
		}
		if (n_profiles == 0) {
			first = kept++;
			memcpy(source, one, sizeof(source));
		}
		hash = XXH3_64bits_withSeed(one, strlen(one), hash);
		hash = XXH3_64bits_withSeed(parts[i], strlen(parts[i]), hash);
		profiles[n_profiles++] = parts[i];
	}
	int status = profiles ? STATUS_OK : STATUS_INPUT;
	if (n_profiles > 1)
		snprintf(source, sizeof(source), "%zu profiles, %016" PRIx64, n_profiles, hash);
	if (n_profiles > 0) {
		char *dir = keep(directory_beside(profiles[0], n_profiles - 1));
		status = dir ? import_beside(profiles, n_profiles, source, dir) : STATUS_INPUT;
		parts[first] = dir;
		*n = kept;
	}
	free(profiles);
	return status;
}

int imported_operands(struct invocation *call)
{
	size_t n = (size_t)call->operands;
	const int status = import_parts(call->operand, &n);
	call->operands = (int)n;
	return status;
}

/* ---- texts that name runs ---- */

/* Puts `text` with its parts imported, cut at `separator` unless it names one thing, into *made. */
static int import_text(const char *text, char separator, char **made)
{
	const char cut[2] = {separator, 0};
	/* a part and what separates it from the next one have two bytes at least */
	char **parts = calloc(strlen(text) / 2 + 2, sizeof(*parts)), *rest, *copy = strdup(text);
	size_t n = 0, bytes = 0;
	*made = NULL;
	if (parts && copy && access(text, F_OK) == 0)
		parts[n++] = copy;
	for (char *part = parts && n == 0 ? strtok_r(copy, cut, &rest) : NULL; part;
		 part = strtok_r(NULL, cut, &rest))
		parts[n++] = part;
	int status = parts && copy ? import_parts(parts, &n) : STATUS_INPUT;
	FILE *out =
		status == STATUS_OK || status == STATUS_PARTIAL ? open_memstream(made, &bytes) : NULL;
	for (size_t i = 0; out && i < n; i++)
		fprintf(out, "%s%s", i ? cut : "", parts[i]);
	if (out && fclose(out) != 0)
		status = STATUS_INPUT;
	free(parts);
	free(copy);
	return *made ? status : (int)status_worse((enum status)status, STATUS_INPUT);
}

int imported_runs(struct invocation *call)
{
	int all = STATUS_OK;
	for (int i = 0; i < call->operands && (all == STATUS_OK || all == STATUS_PARTIAL); i++) {
		char *made;
		const int status = import_text(call->operand[i], ',', &made);
		made = keep(made);
		if (made)
			call->operand[i] = made;
		all = status_worse(all, status);
	}
	return all;
}

int imported_list(struct invocation *call, const char *option)
{
	char *list = NULL, *rest;
	size_t bytes = 0, o = 0;
	while (strcmp(call->options[o].name, option) != 0)
		o++;
	if (!call->texts[o])
		return STATUS_OK;
	int all = STATUS_OK;
	char *copy = strdup(call->texts[o]);
	FILE *out = copy ? open_memstream(&list, &bytes) : NULL;
	for (char *run = out ? strtok_r(copy, ",", &rest) : NULL; run;
		 run = strtok_r(NULL, ",", &rest)) {
		char *made;
		all = status_worse(all, import_text(run, '+', &made));
		fprintf(out, "%s%s", ftell(out) > 0 ? "," : "", made ? made : run);
		free(made);
	}
	free(copy);
	if (!out || fclose(out) != 0 || !(list = keep(list)))
		return STATUS_INPUT;
	call->texts[o] = list;
	return all;
}
