#include "imported.h"

#include "base/diag.h"
#include "import_files.h"

#include <baton/version.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUFFIX ".imported"
#define MARK "/.source" /* in the directory: what it was made of */

enum { MARK_BYTES = 128 };

/* Which bytes, and by which program: another one may read more of them. */
static void describe(const struct stat *st, int status, char text[MARK_BYTES])
{
	snprintf(text, MARK_BYTES, "%lld bytes, %lld.%09ld, baton %s, status %d\n",
			 (long long)st->st_size, (long long)st->st_mtim.tv_sec, st->st_mtim.tv_nsec,
			 BATON_VERSION, status);
}

/* The status of the import that made the directory; -1: of another file, or of none. */
static int status_of(const char *mark, const struct stat *st)
{
	static const int usable[] = {STATUS_OK, STATUS_PARTIAL};
	char found[MARK_BYTES] = "", expected[MARK_BYTES];
	FILE *file = fopen(mark, "r");
	const bool read = file && fgets(found, sizeof(found), file);
	if (file)
		fclose(file);
	for (size_t i = 0; read && i < sizeof(usable) / sizeof(usable[0]); i++) {
		describe(st, usable[i], expected);
		if (strcmp(found, expected) == 0)
			return usable[i];
	}
	return -1;
}

/* Without the mark the next command imports again, which is no harm. */
static void write_mark(const char *mark, const struct stat *st, int status)
{
	char text[MARK_BYTES];
	describe(st, status, text);
	FILE *file = fopen(mark, "w");
	if (!file)
		return;
	const bool whole = fputs(text, file) >= 0;
	if (fclose(file) != 0 || !whole)
		unlink(mark);
}

static int import_beside(char *path, const struct stat *st, char *dir, const char *mark)
{
	int status = status_of(mark, st);
	if (status >= 0)
		return status;
	unlink(mark);
	status = (int)import_files(&(struct import_request){.paths = &path,
														.n_paths = 1,
														.out_dir = dir,
														.rank = -1,
														.force = true,
														.on_the_way = true});
	if (status == STATUS_OK || status == STATUS_PARTIAL)
		write_mark(mark, st, status);
	else if (status == STATUS_OUTPUT)
		diag("%s is imported into a directory beside it; `baton import -o DIR` makes it elsewhere",
			 path);
	return status;
}

int imported_operands(struct invocation *call)
{
	int all = STATUS_OK;
	for (int i = 0; i < call->operands; i++) {
		struct stat st;
		char *path = call->operand[i], *dir, *mark;
		if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || !import_knows(path))
			continue;
		const size_t bytes = strlen(path) + sizeof(SUFFIX MARK);
		dir = malloc(bytes), mark = malloc(bytes);
		if (!dir || !mark) {
			diag("%s: %s", path, strerror(ENOMEM));
			free(dir);
			free(mark);
			return STATUS_INPUT;
		}
		snprintf(dir, bytes, "%s%s", path, SUFFIX);
		snprintf(mark, bytes, "%s%s%s", path, SUFFIX, MARK);
		const int status = import_beside(path, &st, dir, mark);
		free(mark);
		call->operand[i] = dir; /* until the program ends, as the arguments are */
		if (status != STATUS_OK && status != STATUS_PARTIAL)
			return status;
		all = status_worse(all, status);
	}
	return all;
}
