/* baton keep: copies what a recording holds now, before it leaves that out. */
#include "base/amount.h"
#include "base/diag.h"
#include "base/shell.h"
#include "commands.h"
#include "read/salvage.h"
#include "record/kept_copy.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_NUMBERS = 10000 };

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, "COPY",
	 "where the copy goes, a new directory (default: DIR.kept-1, DIR.kept-2 ...)"},
	{0},
};

/* The first number that is free. 0 or -errno. */
static int keep_numbered(const char *dir, char copy_path[PATH_MAX], struct kept_copy *copy)
{
	int error = -EEXIST;
	for (int n = 1; error == -EEXIST && n < MOST_NUMBERS; n++) {
		const int bytes = snprintf(copy_path, PATH_MAX, "%s.kept-%d", dir, n);
		error = bytes < PATH_MAX ? kept_copy_make(dir, copy_path, copy) : -ENAMETOOLONG;
	}
	return error;
}

static int say_error(const char *dir, const char *to, const struct kept_copy *copy, int error)
{
	if (error == -ENODATA) {
		diag("%s: nothing is recorded in it yet", dir);
		return STATUS_INPUT;
	}
	if (error == -EEXIST) {
		diag("-o %s: it exists; name a new directory", to);
		return STATUS_USAGE;
	}
	if (copy->unread[0]) {
		diag("%s: %s; there is no copy", copy->unread, strerror(-error));
		return STATUS_INPUT;
	}
	diag("%s: %s; there is no copy", to, strerror(-error));
	return STATUS_OUTPUT;
}

static void strip(char *path)
{
	for (size_t n = strlen(path); n > 1 && path[n - 1] == '/';)
		path[--n] = 0;
}

/* They end the program: they wait while the copy is made, and then it is removed first. */
static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum { ENDING = sizeof(ending) / sizeof(ending[0]) };

static bool is_to_end(void)
{
	sigset_t pending;
	bool ends = false;
	sigpending(&pending);
	for (int i = 0; i < ENDING; i++)
		ends |= sigismember(&pending, ending[i]) == 1;
	return ends;
}

/* `to`: where the copy goes, "": a name is made, which is written into it. 0 or -errno. */
static int keep(const char *dir, char to[PATH_MAX], struct kept_copy *copy)
{
	sigset_t held, before;
	sigemptyset(&held);
	for (int i = 0; i < ENDING; i++)
		sigaddset(&held, ending[i]);
	sigprocmask(SIG_BLOCK, &held, &before);
	*copy = (struct kept_copy){.stop = is_to_end};
	const int error = to[0] ? kept_copy_make(dir, to, copy) : keep_numbered(dir, to, copy);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error;
}

/* The directory as it was named, without slashes at its end; "." and ".." by their path, so that the
 * copy lies beside them. An enum status. */
static int take_directory(const char *named, char dir[PATH_MAX])
{
	struct stat st;
	snprintf(dir, PATH_MAX, "%s", named);
	strip(dir);
	const char *slash = strrchr(dir, '/'), *last = slash ? slash + 1 : dir;
	if (stat(dir, &st) != 0 ||
		((strcmp(last, ".") == 0 || strcmp(last, "..") == 0) && !realpath(named, dir))) {
		diag("%s: %s", named, strerror(errno));
		return STATUS_INPUT;
	}
	if (S_ISDIR(st.st_mode))
		return STATUS_OK;
	diag("%s: not a directory of a run", dir);
	return STATUS_INPUT;
}

static int run(const struct invocation *call)
{
	char dir[PATH_MAX], to[PATH_MAX], bytes[32];
	const char *given = option_text(call, "output", NULL);
	struct kept_copy copy;
	struct salvage_result salvaged;
	if (call->operands > 1 || (given && !given[0])) {
		diag("one directory at a time: baton keep DIR -o COPY");
		return STATUS_USAGE;
	}
	const int status = take_directory(call->operand[0], dir);
	if (status != STATUS_OK)
		return status;
	salvage_directory(dir, &salvaged); /* what killed processes left is in it too */
	snprintf(to, sizeof(to), "%s", given ? given : "");
	strip(to);
	const int error = keep(dir, to, &copy);
	if (error)
		return say_error(dir, to, &copy, error);
	diag("%llu %s, %s in %s        next: baton report %s", (unsigned long long)copy.traces,
		 copy.traces == 1 ? "trace" : "traces", amount_bytes(copy.bytes, bytes), to,
		 shell_word(to).at);
	return STATUS_OK;
}

static const struct named_text examples[] = {
	{"baton keep runs/weeks", "What the recording holds now, in runs/weeks.kept-1."},
	{"baton keep runs/weeks -o runs/stall-1", "The same, in a directory that you name."},
	{0},
};
static const struct named_text files[] = {
	{"COPY/*.baton", "the traces as they were: an ordinary run directory"},
	{0},
};
static const struct named_text statuses[] = {
	{"2", "COPY exists"},
	{"3", "DIR is no directory, cannot be read, or nothing is recorded in it yet"},
	{"5", "COPY could not be written; there is no half one"},
	{0},
};

const struct command command_keep = {
	.name = "keep",
	.operands = "DIR",
	.least_operands = 1,
	.summary = "copy what a recording holds now, before it leaves that out",
	.details =
		"For a job that is recorded with `baton record --keep-last`, whose directory holds the\n"
		"last minutes only: the copy stays. The recording goes on and does not notice it. Each\n"
		"trace ends where its process last wrote, at most a second or two ago; work that a GPU\n"
		"had not finished by then is there as a launch alone.\n"
		"\n"
		"`baton record --keep-slow` does it by itself where a step takes long.",
	.options = options,
	.examples = examples,
	.files = files,
	.statuses = statuses,
	.run = run,
};
