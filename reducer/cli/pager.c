#include "cli/pager.h"

#include "base/progress.h"
#include "base/tty.h"
#include "cli/inherited.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEFAULT_PAGER "less"

static volatile pid_t pager; /* 0: there is none */
static bool refused;

void pager_refuse(void)
{
	refused = true;
}

/* NULL: none is wanted. */
static const char *choose(void)
{
	const char *names[] = {getenv("BATON_PAGER"), getenv("PAGER"), DEFAULT_PAGER};
	const char *kind = getenv("TERM"), *chosen = NULL;
	if (!kind || strcmp(kind, "dumb") == 0)
		return NULL;
	for (size_t i = 0; !chosen; i++)
		chosen = names[i];
	return chosen[0] == 0 || strcmp(chosen, "cat") == 0 ? NULL : chosen;
}

/* less shows what fits on a screen and ends (F), lets colours through (R) and leaves the screen as
 * it is (X). */
static void __attribute__((noreturn)) become(const char *command)
{
	inherited_restore();
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void await(void)
{
	int status;
	while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
		;
}

/* Ctrl-C goes to both: the pager stops reading on, and we wait for it, because the shell would read
 * the keys that are meant for it. Only what a signal handler may call. */
static void interrupted(int number)
{
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (nowhere < 0 || dup2(nowhere, fd) < 0) /* never free for what a thread opens meanwhile */
			close(fd);
	await();
	signal(number, SIG_DFL);
	raise(number);
}

/* Does the command exist, as far as its first word can be looked up? A shell that does not find it
 * would have taken the output. */
static bool is_there(const char *command)
{
	char *line = NULL;
	const int n = (int)strcspn(command, " \t");
	if (strpbrk(command, "$`'\"\\;&|<>()={}") ||
		asprintf(&line, "p=$(command -v -- '%.*s') && case $p in */*) [ ! -d \"$p\" ];; esac", n,
				 command) < 0)
		return true;
	const int status = system(line);
	free(line);
	return status == 0;
}

static bool start(const char *command, int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	const pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[0], STDIN_FILENO);
		become(command);
	}
	close(ends[0]);
	if (pid < 0)
		close(ends[1]);
	else
		pager = pid;
	return pid > 0;
}

bool pager_is_on(void)
{
	return pager != 0;
}

static void end(void)
{
	fflush(
		stdout); /* who has left the pager has read enough: that it cannot be written is no error */
	fflush(stderr);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	await();
}

/* Is the terminal ours to show and to ask? Not where a launcher reads it (mpirun gives each process
 * a terminal of its own, and keeps the job's log from it), nor in the background. */
static bool is_ours(void)
{
	return isatty(STDOUT_FILENO) && tcgetpgrp(STDOUT_FILENO) == getpgrp();
}

void pager_begin(void)
{
	const struct sigaction ends_us = {.sa_handler = interrupted, .sa_flags = (int)SA_RESETHAND};
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	const int columns = tty_columns(STDOUT_FILENO);
	const bool tells = isatty(STDERR_FILENO);
	const char *command = choose();
	int ends[2];
	if (refused || pager || !is_ours() || !command || !is_there(command))
		return;
	fflush(stdout);
	fflush(stderr);
	if (!start(command, ends))
		return;
	tty_page(columns > 0 ? columns : 80);
	dup2(ends[1], STDOUT_FILENO);
	if (tells)
		dup2(ends[1], STDERR_FILENO);
	close(ends[1]);
	progress_silence();
	atexit(end);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &ends_us, NULL);
}
