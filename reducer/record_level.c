#include "record_level.h"

#include "base/amount.h"
#include "base/diag.h"
#include "base/shell.h"
#include "record/capture_window.h"
#include "record/output_dir.h"
#include "read/paths.h"
#include "stretch.h"

#include <baton/reader.h>
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
	MARGIN_S = 10
};

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * S + t.tv_nsec;
}

int record_level_read(const struct invocation *call, struct record_level *level,
					  struct capture_window *window)
{
	const char *text = option_text(call, "level", "events");
	const char *kept = getenv("BATON_KEEP_LAST"), *stretch = getenv("BATON_STRETCH");
	level->summary = strcmp(text, "summary") == 0;
	if (!level->summary && strcmp(text, "events") == 0)
		return STATUS_OK;
	if (!level->summary) {
		diag("--level must be events or summary, not '%s'", text);
		return STATUS_USAGE;
	}
	if (window->range_end || window->delay_ns || window->duration_ns) {
		diag("--level summary cannot be used with --delay, --duration or -c: it is of the whole "
			 "job");
		return STATUS_USAGE;
	}
	if (!window->keep_s)
		window->keep_s = kept ? amount_seconds(kept) : KEEP_S;
	if (!window->keep_s)
		window->keep_s = KEEP_S;
	const long stretch_s = amount_seconds(stretch ? stretch : "");
	level->long_ns = stretch_s ? stretch_s * S : window->keep_s * S / 2;
	if (level->long_ns >= LEAST_S * S)
		return STATUS_OK;
	diag("--level summary needs a --keep-last of 8 s at least: traces are written once a second");
	return STATUS_USAGE;
}

static char *path_in(const char *directory, const char *ending)
{
	char *path = NULL;
	return asprintf(&path, "%s/" OUTPUT_SUMMARY "%s", directory, ending) < 0 ? NULL : path;
}

char *record_level_path(const struct record_level *level)
{
	return path_in(level->shown, "");
}

/* ---- one turn ---- */

/* Of the tasks of a launch one at a time. A file system without locks: all think that they have it,
 * and the order of stretches is what keeps them from counting twice. -1: another one has it. */
static int lock(const struct record_level *level, int tries)
{
	char *path = path_in(level->directory, ".lock");
	const int fd = path ? open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
	free(path);
	bool ours = fd >= 0;
	for (int i = 0; fd >= 0; i++) {
		const struct timespec pause = {0, LOCK_MS * 1000000};
		ours = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
		if (ours || i + 1 >= tries)
			break;
		nanosleep(&pause, NULL);
	}
	if (!ours && fd >= 0)
		close(fd);
	return ours ? fd : -1;
}

/* All steps that begin before `to_ns` and were not counted yet. An enum status. */
static int add_stretch(const struct record_level *level, int64_t to_ns, bool beside)
{
	const int64_t margin_ns = level->long_ns < MARGIN_S * S ? level->long_ns : MARGIN_S * S;
	char *dirs[] = {(char *)level->directory};
	char *path = path_in(level->directory, "");
	const struct stretch stretch = {.dirs = dirs,
									.n_dirs = 1,
									.path = path,
									.add = true,
									.rest = true,
									.beside = beside,
									.silent = true};
	const struct reduce_options how = {
		.only_time = true,
		.threads = beside ? 1 : 0,
		.time = {.from_ns = level->begin_ns, .to_ns = to_ns, .margin_ns = margin_ns}};
	const int fd = path ? lock(level, beside ? 1 : LOCK_TRIES) : -1;
	const int status = fd < 0 ? (int)STATUS_INPUT : stretch_store(&stretch, &how);
	if (fd >= 0)
		close(fd);
	free(path);
	return status;
}

/* ---- the process beside the job ---- */

/* A stretch is half as long as what --keep-last keeps at least. It is reduced half a stretch after its end, when
 * steps that began in it are over; what it needs is there for half a stretch more. */
static int64_t due_ns(const struct record_level *level, int64_t stretch)
{
	return (stretch + 1) * level->long_ns + level->long_ns / 2;
}

/* Has each trace been written to once after what began before `to_ns`, or is it closed? */
static bool is_written(const struct record_level *level, int64_t to_ns)
{
	struct paths paths = {0};
	bool is = paths_add(&paths, level->directory, false) == 0;
	for (size_t i = 0; is && i < paths.n; i++) {
		struct baton_reader reader;
		struct stat st;
		if (stat(paths.at[i], &st) != 0 || st.st_mtim.tv_sec * S > to_ns + WRITTEN_S * S ||
			baton_reader_open(&reader, AT_FDCWD, paths.at[i]) != 0)
			continue;
		is = reader.closed || reader.header.content != BATON_TRACE;
		baton_reader_close(&reader);
	}
	paths_free(&paths);
	return is;
}

static void sleep_until(int64_t at_ns)
{
	for (int64_t left; (left = at_ns - now_ns()) > 0;) {
		const struct timespec pause = {left / S, left % S};
		nanosleep(&pause, NULL);
	}
}

/* In a process of its own: what it takes of memory, or ends it, is gone with it. `quiet`: what keeps it
 * from writing was said in the turn before. */
static int turn(const struct record_level *level, int64_t to_ns, bool quiet)
{
	const pid_t pid = fork();
	int status = 0;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		const int nowhere = quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
		if (nowhere >= 0)
			dup2(nowhere, STDERR_FILENO);
		_exit(add_stretch(level, to_ns, true));
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : (int)STATUS_INPUT;
}

static void __attribute__((noreturn)) be_beside(const struct record_level *level, pid_t parent)
{
	const int64_t long_ns = level->long_ns;
	int64_t stretch = level->begin_ns / long_ns;
	sigset_t none;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGTERM, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpriority(PRIO_PROCESS, 0, NICER);
	for (int status = STATUS_OK; getppid() == parent; stretch++) {
		const int64_t due = due_ns(level, stretch), late = due + long_ns / 4;
		for (sleep_until(due); now_ns() < late && !is_written(level, (stretch + 1) * long_ns);)
			sleep_until(now_ns() + S / 5);
		status = turn(level, (stretch + 1) * long_ns, status == STATUS_OUTPUT);
		while (due_ns(level, stretch + 1) + long_ns <= now_ns())
			stretch++; /* it came late: the next one takes what was left out too */
	}
	_exit(STATUS_OK);
}

void record_level_begin(struct record_level *level)
{
	const pid_t parent = getpid();
	level->begin_ns = now_ns();
	level->process = level->summary ? fork() : 0;
	if (level->summary && level->process == 0)
		be_beside(level, parent);
	if (level->process < 0)
		diag("--level summary: no process beside the job (%s): its summary is made when it ends, "
			 "of what --keep-last keeps",
			 strerror(errno));
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

void record_level_end(struct record_level *level)
{
	if (level->process <= 0)
		return;
	struct rusage took = {0};
	kill(level->process, SIGCONT);
	kill(level->process, SIGTERM);
	while (wait4(level->process, NULL, 0, &took) < 0 && errno == EINTR)
		;
	level->process = 0;
	level->cpu_s = seconds(&took.ru_utime) + seconds(&took.ru_stime);
}

void record_level_finish(const struct record_level *level, bool verbose)
{
	struct stat is;
	char *path = record_level_path(level);
	const int status = add_stretch(level, INT64_MAX, false);
	char *locked = path_in(level->directory, ".lock");
	if (locked)
		unlink(locked);
	free(locked);
	if (verbose)
		diag("beside the job: %.3f s of CPU time", level->cpu_s);
	if (path && status != STATUS_OUTPUT && stat(path, &is) == 0)
		diag("the whole job is in %s        next: baton report %s", path, shell_word(path).at);
	free(path);
}
