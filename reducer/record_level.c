#include "record_level.h"

#include "base/amount.h"
#include "base/diag.h"
#include "base/shell.h"
#include "record/capture_window.h"
#include "record/output_dir.h"
#include "read/written.h"
#include "stretch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define S INT64_C(1000000000)
enum {
	KEEP_S = 120,
	LEAST_S = 4,
	NICER = 10,
	LOCK_TRIES = 600,
	LOCK_MS = 100,
	WRITTEN_S = 2,
	MARGIN_S = 10,
	PROCESSES = 10
};

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * S + t.tv_nsec;
}

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
	const char *kept = getenv("BATON_KEEP_LAST");
	level->summary = strcmp(text, "summary") == 0;
	if (!level->summary && strcmp(text, "events") == 0)
		return STATUS_OK;
	if (!level->summary) {
		diag("--level must be events or summary, not '%s'", text);
		return STATUS_USAGE;
	}
	if (window->range_end || window->delay_ns || window->duration_ns) {
		diag("--level summary covers the whole job: it cannot be used with --delay, --duration or "
			 "-c");
		return STATUS_USAGE;
	}
	if (!window->keep_s)
		window->keep_s = kept ? amount_seconds(kept) : KEEP_S;
	if (!window->keep_s)
		window->keep_s = KEEP_S;
	return read_stretch(level, window->keep_s);
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

/* The last of the tasks removes the file: who has locked one that is gone begins again. */
static bool is_locked(int fd)
{
	struct stat st;
	return (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) && fstat(fd, &st) == 0 &&
		   st.st_nlink > 0;
}

/* Of the tasks of a launch one at a time. A file system without locks: all think that they have it,
 * and the order of stretches is what keeps them from counting twice. -1: another one has it. */
static int lock(const struct record_level *level, int tries)
{
	char *path = path_in(level->directory, OUTPUT_SUMMARY_LOCK);
	int fd = -1;
	for (int i = 0; path && fd < 0 && i < tries; i++) {
		const struct timespec pause = {0, i ? LOCK_MS * 1000000 : 0};
		nanosleep(&pause, NULL);
		fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd < 0)
			break;
		if (!is_locked(fd)) {
			close(fd);
			fd = -1;
		}
	}
	free(path);
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

static void sleep_until(int64_t at_ns)
{
	for (int64_t left; (left = at_ns - now_ns()) > 0;) {
		const struct timespec pause = {left / S, left % S};
		nanosleep(&pause, NULL);
	}
}

/* In a process of its own: what it takes of memory, or ends it, is gone with it. `quiet`: what keeps
 * it from writing was said in the turn before. */
static int turn(const struct record_level *level, struct until until, bool quiet)
{
	const pid_t pid = fork();
	int status = 0;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		const int nowhere = quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
		if (nowhere >= 0)
			dup2(nowhere, STDERR_FILENO);
		_exit(add_stretch(level, until, true));
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : (int)STATUS_INPUT;
}

/* Where a process of the job writes late (its writer thread got no core), the stretch ends where its
 * trace does, and the next one has the rest; but it ends in the time of its number, because the
 * traces hold what is older for no longer. */
static struct until await_traces(const struct record_level *level, int64_t stretch)
{
	const int64_t from_ns = stretch * level->long_ns, to_ns = from_ns + level->long_ns;
	const int64_t due = due_ns(level, stretch), late = due + level->long_ns / 4;
	int64_t written;
	for (sleep_until(due); (written = written_ns(level, to_ns)) < to_ns && now_ns() < late;)
		sleep_until(now_ns() + S / 5);
	if (written >= to_ns)
		return (struct until){to_ns, 0};
	return (struct until){written > from_ns ? written : from_ns, written > 0 ? written : 1};
}

/* Only its parent ends it: what a terminal, a scheduler or another program sends to the job's group
 * (SIGINT, SIGTERM, SIGUSR1 ...) is for the job, which may go on. */
static void block_signals(void)
{
	static const int stops[] = {SIGTSTP, SIGTTIN, SIGTTOU};
	sigset_t taken;
	sigfillset(&taken);
	for (size_t i = 0; i < sizeof(stops) / sizeof(stops[0]); i++)
		sigdelset(&taken, stops[i]);
	sigprocmask(SIG_SETMASK, &taken, NULL);
}

static void __attribute__((noreturn)) be_beside(const struct record_level *level, pid_t parent)
{
	const int64_t long_ns = level->long_ns;
	int64_t stretch = level->begin_ns / long_ns;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_DFL);
	block_signals();
	setpriority(PRIO_PROCESS, 0, NICER);
	for (int status = STATUS_OK; getppid() == parent; stretch++) {
		while (due_ns(level, stretch + 1) + long_ns <= now_ns())
			stretch++; /* it comes late: the next turn takes what was left out too */
		status = turn(level, await_traces(level, stretch), status == STATUS_OUTPUT);
	}
	_exit(STATUS_OK);
}

static void begin_process(struct record_level *level)
{
	const pid_t parent = getpid();
	level->process = fork();
	if (level->process == 0)
		be_beside(level, parent);
	level->begun++;
	if (level->process < 0)
		diag("--level summary: no process beside the job (%s): its summary is made when it ends, "
			 "of what --keep-last keeps",
			 strerror(errno));
}

void record_level_begin(struct record_level *level)
{
	level->begin_ns = now_ns();
	if (level->summary)
		begin_process(level);
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

/* With WNOHANG in `how` it may still run. True: it has ended. */
static bool has_ended(struct record_level *level, int how)
{
	struct rusage took = {0};
	pid_t ended;
	while ((ended = wait4(level->process, NULL, how, &took)) < 0 && errno == EINTR)
		;
	if (ended == 0)
		return false;
	level->process = 0;
	level->cpu_s += seconds(&took.ru_utime) + seconds(&took.ru_stime);
	return true;
}

/* What it had not yet added is in the traces, or is counted as missing by the next turn. */
void record_level_attend(struct record_level *level)
{
	if (level->process <= 0 || !has_ended(level, WNOHANG))
		return;
	if (level->begun == 1)
		diag("--level summary: the process beside the job was killed: another one takes its place");
	if (level->begun < PROCESSES)
		begin_process(level);
	else
		diag("--level summary: the process beside the job was killed %d times: no other one is "
			 "started, and the rest is added when the job ends",
			 PROCESSES);
}

void record_level_end(struct record_level *level)
{
	if (level->process <= 0)
		return;
	kill(level->process, SIGKILL);
	has_ended(level, 0);
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
	const struct until until = {runs ? now_ns() - 2 * WRITTEN_S * S : INT64_MAX, 0};
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
		diag("beside the job: %.3f s of CPU time", level->cpu_s);
	if (adds)
		say(level, left, status);
}
