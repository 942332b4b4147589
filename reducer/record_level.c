#include "record_level.h"

#include "base/amount.h"
#include "base/diag.h"
#include "base/shell.h"
#include "record/capture_window.h"
#include "record/output_dir.h"
#include "record/output_lock.h"
#include "read/written.h"
#include "stretch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define S INT64_C(1000000000)
enum { LEAST_S = 4, LOCK_TRIES = 600, LOCK_MS = 100, WRITTEN_S = 2, MARGIN_S = 10 };

/* What a stretch needs has to be there for half as long again as it is. An enum status. */
static int read_stretch(struct record_level *level, int64_t keep_s)
{
	const char *text = getenv("BATON_STRETCH");
	const int64_t stretch_s = text ? amount_seconds(text) : 0;
	level->long_ns = keep_s * S / 2;
	if (level->long_ns < LEAST_S * S) {
		diag("--level summary needs a --keep-last of 8 s at least: traces are written once a "
			 "second");
		return STATUS_USAGE;
	}
	if (!text || !text[0])
		return STATUS_OK;
	if (stretch_s < LEAST_S || stretch_s * S > level->long_ns) {
		diag("BATON_STRETCH must be 4 s at least, and half of --keep-last (%lld s) at most, not "
			 "'%s'",
			 (long long)keep_s, text);
		return STATUS_USAGE;
	}
	level->long_ns = stretch_s * S;
	return STATUS_OK;
}

int record_level_read(const struct invocation *call, struct record_level *level,
					  struct capture_window *window)
{
	const char *text = option_text(call, "level", "events");
	level->summary = strcmp(text, "summary") == 0;
	if (!level->summary && strcmp(text, "events") == 0)
		return STATUS_OK;
	if (!level->summary) {
		diag("--level must be events or summary, not '%s'", text);
		return STATUS_USAGE;
	}
	const int status = capture_window_keep_some(window, "--level summary");
	return status ? status : read_stretch(level, window->keep_s);
}

static char *path_in(const char *directory, const char *name)
{
	char *path = NULL;
	return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

char *record_level_path(const struct record_level *level)
{
	return path_in(level->shown, OUTPUT_SUMMARY);
}

/* ---- one turn ---- */

struct until {
	int64_t to_ns;      /* the end of a stretch */
	int64_t written_ns; /* what came later may be missing in some trace; 0: it is in all */
};

/* Of the tasks of a launch one at a time. A file system without locks: all think that they have it,
 * and the order of stretches is what keeps them from counting twice. -1: another one has it. */
static int lock(const struct record_level *level, int tries)
{
	const struct timespec pause = {0, LOCK_MS * 1000000};
	int fd = output_lock_task(level->directory, OUTPUT_SUMMARY_LOCK);
	for (int i = 1; fd < 0 && i < tries; i++) {
		nanosleep(&pause, NULL);
		fd = output_lock_task(level->directory, OUTPUT_SUMMARY_LOCK);
	}
	return fd;
}

/* All steps that begin before `until.to_ns` and were not counted yet. `beside`: processes of the job
 * still run, and there will be another turn. An enum status. */
static int add_stretch(const struct record_level *level, struct until until, bool beside)
{
	const int64_t margin_ns = level->long_ns < MARGIN_S * S ? level->long_ns : MARGIN_S * S;
	char *dirs[] = {(char *)level->directory};
	char *path = path_in(level->directory, OUTPUT_SUMMARY);
	const struct stretch stretch = {.dirs = dirs,
									.n_dirs = 1,
									.path = path,
									.add = true,
									.rest = true,
									.beside = beside,
									.silent = true,
									.written_ns = until.written_ns};
	const struct reduce_options how = {
		.only_time = true,
		.threads = beside ? 1 : 0,
		.time = {.from_ns = level->begin_ns, .to_ns = until.to_ns, .margin_ns = margin_ns}};
	const int fd = path ? lock(level, beside ? 1 : LOCK_TRIES) : -1;
	int status = STATUS_INPUT;
	if (fd >= 0) {
		status = stretch_store(&stretch, &how);
	} else if (path && !beside) {
		diag("%s: the last stretch cannot be added: there is no room, or another task holds it",
			 path);
		status = STATUS_OUTPUT;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return status;
}

/* ---- the process beside the job ---- */

/* A stretch is half as long as what --keep-last keeps at least. It is reduced half a stretch after
 * its end, when steps that began in it are over; what it needs is there for half a stretch more. */
static int64_t due_ns(const struct record_level *level, int64_t stretch)
{
	return (stretch + 1) * level->long_ns + level->long_ns / 2;
}

/* What came before is in all traces, each of which is written to once a second; `most_ns` at most. */
static int64_t written_ns(const struct record_level *level, int64_t most_ns)
{
	return written_to(level->directory, most_ns + WRITTEN_S * S) - WRITTEN_S * S;
}

struct level_turn {
	const struct record_level *level;
	struct until until;
};

static int add_one(void *of)
{
	const struct level_turn *turn = of;
	return add_stretch(turn->level, turn->until, true);
}

/* Where a process of the job writes late (its writer thread got no core), the stretch ends where its
 * trace does, and the next one has the rest; but it ends in the time of its number, because the
 * traces hold what is older for no longer. */
static struct until await_traces(const struct record_level *level, int64_t stretch)
{
	const int64_t from_ns = stretch * level->long_ns, to_ns = from_ns + level->long_ns;
	const int64_t due = due_ns(level, stretch), late = due + level->long_ns / 4;
	int64_t written;
	for (beside_sleep_until(due);
		 (written = written_ns(level, to_ns)) < to_ns && beside_now_ns() < late;)
		beside_sleep_until(beside_now_ns() + S / 5);
	if (written >= to_ns)
		return (struct until){to_ns, 0};
	return (struct until){written > from_ns ? written : from_ns, written > 0 ? written : 1};
}

static void be_beside(void *of, pid_t parent)
{
	const struct record_level *level = of;
	const int64_t long_ns = level->long_ns;
	int64_t stretch = level->begin_ns / long_ns;
	for (int status = STATUS_OK; beside_goes_on(parent); stretch++) {
		while (due_ns(level, stretch + 1) + long_ns <= beside_now_ns())
			stretch++; /* it comes late: the next turn takes what was left out too */
		struct level_turn turn = {level, await_traces(level, stretch)};
		/* what keeps it from writing was said in the turn before */
		status = beside_turn(add_one, &turn, status == STATUS_OUTPUT);
	}
}

void record_level_begin(struct record_level *level)
{
	level->begin_ns = beside_now_ns();
	level->beside = (struct beside){.option = "--level summary",
									.without = "what --keep-last keeps is added when the job ends",
									.be = be_beside,
									.of = level};
	if (level->summary)
		beside_begin(&level->beside);
}

void record_level_attend(struct record_level *level)
{
	beside_attend(&level->beside);
}

void record_level_end(struct record_level *level)
{
	beside_end(&level->beside);
}

/* Removes all but the summary: also what a process that was killed had begun to write. Where another
 * task is at work it does so at its end. */
static void clear(const struct record_level *level)
{
	const int fd = lock(level, 1);
	DIR *dir = fd >= 0 ? opendir(level->directory) : NULL;
	for (const struct dirent *entry; dir && (entry = readdir(dir));)
		if (output_dir_is_left(entry->d_name))
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (fd >= 0)
		close(fd);
}

static void say(const struct record_level *level, enum record_left left, int status)
{
	struct stat is;
	char *path = record_level_path(level);
	const bool there = path && stat(path, &is) == 0;
	if (there && left == RECORD_UNDER_WAY)
		diag("%s: processes of the job still run: when they have ended, add the rest: baton reduce "
			 "--add -o %s %s",
			 path, shell_word(path).at, shell_word(level->shown).at);
	else if (there && status != STATUS_OUTPUT)
		diag("the whole job is in %s        next: baton report %s", path, shell_word(path).at);
	else if (path && !there && status != STATUS_OUTPUT)
		diag("%s was not made: no step was found", path);
	free(path);
}

/* Each task of a launch adds what there is: one of them is the last to end. */
static int add_rest(const struct record_level *level, enum record_left left)
{
	const int64_t never_ns = INT64_MAX / 2;
	const bool runs = left != RECORD_WHOLE && written_ns(level, never_ns) < never_ns;
	const struct until until = {runs ? beside_now_ns() - 2 * WRITTEN_S * S : INT64_MAX, 0};
	return add_stretch(level, until, runs);
}

void record_level_finish(const struct record_level *level, enum record_left left, bool verbose)
{
	const bool adds = left != RECORD_NOTHING;
	int status = STATUS_OK;
	if (adds || level->tasks > 1)
		status = add_rest(level, left);
	clear(level);
	if (adds && verbose)
		diag("beside the job: %.3f s of CPU time", level->beside.cpu_s);
	if (adds)
		say(level, left, status);
}
