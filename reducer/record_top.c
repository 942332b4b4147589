#include "record_top.h"

#include "base/diag.h"
#include "base/plain.h"
#include "looker.h"
#include "top/live.h"
#include "top/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUT_NAME "job.out"
#define S INT64_C(1000000000)
enum { LAST_S = 30, EVERY_S = 2, TAIL_LINES = 10, TAIL_BYTES = 4096, PATIENCE_MS = 2000 };

static int refuse(const char *why)
{
	diag("--top: %s; leave it out, and look with `baton top DIR`", why);
	return STATUS_USAGE;
}

int record_top_open(struct record_top *top, const struct launch *launch)
{
	if (launch->size > 1)
		return refuse("the tasks of a launch have no terminal of their own");
	if (!terminal_can_draw())
		return refuse("TERM names no terminal that can be drawn on");
	top->terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
	if (top->terminal < 0)
		return refuse("there is no terminal");
	if (tcgetpgrp(top->terminal) != getpgrp())
		return refuse("the job runs in the background");
	if (tcgetattr(top->terminal, &top->before) != 0)
		return refuse("the terminal cannot be used");
	return STATUS_OK;
}

int record_top_streams(struct record_top *top, const char *dir, int streams[3])
{
	char path[4200];
	top->dir = dir;
	if (isatty(STDIN_FILENO)) /* the keys are the screen's */
		streams[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (!isatty(STDOUT_FILENO) && !isatty(STDERR_FILENO))
		return 0;
	snprintf(path, sizeof(path), "%s/" OUT_NAME, dir);
	top->out = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (top->out < 0)
		return -errno;
	if (isatty(STDOUT_FILENO))
		streams[1] = top->out;
	if (isatty(STDERR_FILENO))
		streams[2] = top->out;
	return 0;
}

/* Ctrl-C is the job's: the screen stays until the job has ended. */
static void __attribute__((noreturn)) be_screen(const struct record_top *top)
{
	char *dirs[] = {(char *)top->dir};
	struct looker looker = {.dirs = dirs, .n_dirs = 1};
	const struct top_plan plan = {.dirs = dirs,
								  .n_dirs = 1,
								  .last_ns = LAST_S * S,
								  .every_ns = EVERY_S * S,
								  .looker = looker_look,
								  .of = &looker};
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	sigset_t none;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(top->terminal, STDIN_FILENO);
	dup2(top->terminal, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
	const int status = top_live(&plan);
	if (status == STATUS_OK) {
		printf("baton: the job goes on; Ctrl-C ends it, baton top %s shows it again\n", top->dir);
		fflush(stdout);
	}
	_exit(status);
}

void record_top_begin(struct record_top *top)
{
	const pid_t pid = top->terminal < 0 ? -1 : fork();
	if (pid == 0)
		be_screen(top);
	top->screen = pid > 0 ? pid : 0;
}

/* True: it is over, with that status. */
static bool await(pid_t pid, int *status)
{
	const struct timespec pause = {0, 10000000};
	for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
		const pid_t over = waitpid(pid, status, WNOHANG);
		if (over == pid || (over < 0 && errno != EINTR))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

void record_top_end(struct record_top *top)
{
	int status = 0;
	if (!top->screen)
		return;
	kill(top->screen, SIGCONT);
	kill(top->screen, SIGTERM);
	const bool ended = await(top->screen, &status);
	if (!ended) {
		kill(top->screen, SIGKILL);
		waitpid(top->screen, &status, 0);
	}
	/* One that was killed has not given the terminal back. */
	if (!ended || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
		terminal_restore(top->terminal, &top->before);
	top->screen = 0;
}

void record_top_undo(const struct record_top *top)
{
	char path[4200];
	if (top->out < 0)
		return;
	snprintf(path, sizeof(path), "%s/" OUT_NAME, top->dir);
	unlink(path);
}

static void print_tail(int fd)
{
	char text[TAIL_BYTES + 1];
	const off_t size = lseek(fd, 0, SEEK_END);
	const off_t from = size > TAIL_BYTES ? size - TAIL_BYTES : 0;
	const ssize_t n = size > 0 ? pread(fd, text, TAIL_BYTES, from) : 0;
	char *line = text;
	int lines = 0;
	text[n > 0 ? n : 0] = 0;
	for (char *at = text + strlen(text); at > text && lines <= TAIL_LINES; at--)
		if (at[-1] == '\n' && lines++ == TAIL_LINES)
			line = at;
	for (char *next; line && *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		plain_put(line, stderr);
		fputc('\n', stderr);
	}
}

void record_top_say(const struct record_top *top, bool failed)
{
	if (top->out < 0)
		return;
	if (failed)
		print_tail(top->out);
	diag("the job's output is in %s/job.out", top->dir);
}
