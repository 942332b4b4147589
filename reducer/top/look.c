#include "top/look.h"

#include "base/room.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NICEST = 19, READ_BYTES = 1 << 16, MOST_BYTES = 64 << 20 };

/* ---- messages meanwhile ---- */

/* The trace of a process that records has no end yet: it is no damage here. */
static bool is_usual(const char *line, size_t bytes)
{
	static const char *const ends[] = {": unclosed", ": truncated"};
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		const size_t n = strlen(ends[i]);
		if (bytes >= n && memcmp(line + bytes - n, ends[i], n) == 0)
			return true;
	}
	return bytes == 0;
}

/* The last line that says something, without "baton: ". */
static void take_said(char *said, struct top_view *view)
{
	static const char name[] = "baton: ";
	for (char *line = said, *next; *line; line = next) {
		const size_t bytes = strcspn(line, "\n");
		next = line + bytes + (line[bytes] == '\n');
		line[bytes] = 0;
		if (is_usual(line, bytes))
			continue;
		const bool ours = strncmp(line, name, sizeof(name) - 1) == 0;
		snprintf(view->message, sizeof(view->message), "%.399s",
				 line + (ours ? sizeof(name) - 1 : 0));
	}
}

struct top_view *top_look_now(top_looker *looker, void *of, int64_t last_ns)
{
	static char said[READ_BYTES];
	int ends[2], before = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (before < 0 || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) {
		if (before >= 0)
			close(before);
		return looker(of, last_ns);
	}
	fflush(stderr);
	dup2(ends[1], STDERR_FILENO);
	struct top_view *view = looker(of, last_ns);
	fflush(stderr);
	dup2(before, STDERR_FILENO);
	close(before);
	close(ends[1]);
	const ssize_t n = read(ends[0], said, sizeof(said) - 1);
	close(ends[0]);
	said[n > 0 ? n : 0] = 0;
	if (view)
		take_said(said, view);
	return view;
}

/* ---- in a process of its own ---- */

static void send(const struct top_view *view, int fd)
{
	const char *at = (const char *)view;
	for (size_t left = top_view_bytes(view); left > 0;) {
		const ssize_t n = write(fd, at, left);
		if (n <= 0)
			return;
		at += n;
		left -= (size_t)n;
	}
}

static void __attribute__((noreturn))
look_and_send(const struct top_look *look, int fd, int64_t last_ns)
{
	static const int ours[] = {SIGINT,   SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT,
							   SIGWINCH, SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT};
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		signal(ours[i], SIG_DFL);
	signal(SIGINT, SIG_IGN); /* of the terminal: the parent decides */
	signal(SIGTSTP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpriority(PRIO_PROCESS, 0, NICEST); /* before the job's processes */
	struct top_view *view = top_look_now(look->looker, look->of, last_ns);
	if (view)
		send(view, fd);
	_exit(view ? 0 : 1);
}

int top_look_begin(struct top_look *look, int64_t last_ns)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -errno;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	const pid_t pid = fork();
	if (pid < 0) {
		const int error = -errno;
		close(ends[0]);
		close(ends[1]);
		return error;
	}
	if (pid == 0) {
		close(ends[0]);
		look_and_send(look, ends[1], last_ns);
	}
	close(ends[1]);
	look->pid = pid;
	look->fd = ends[0];
	look->n = 0;
	return 0;
}

void top_look_end(struct top_look *look)
{
	if (look->pid) {
		kill(look->pid, SIGKILL);
		while (waitpid(look->pid, NULL, 0) < 0 && errno == EINTR)
			;
		close(look->fd);
	}
	look->pid = 0;
	free(look->bytes);
	look->bytes = NULL;
	look->n = look->room = 0;
}

/* All of it has come: the process has ended. */
static int finish(struct top_look *look, struct top_view **view)
{
	struct top_view *got = (struct top_view *)(void *)look->bytes;
	const bool whole = look->n >= sizeof(*got) && look->n == top_view_bytes(got);
	*view = whole ? got : NULL;
	if (whole)
		look->bytes = NULL;
	top_look_end(look);
	return whole ? 1 : -EIO;
}

int top_look_take(struct top_look *look, struct top_view **view)
{
	*view = NULL;
	for (;;) {
		if (look->room - look->n < READ_BYTES) {
			char *larger = realloc(look->bytes, look->room + 4 * READ_BYTES);
			if (!larger || look->n > MOST_BYTES) {
				top_look_end(look);
				return -ENOMEM;
			}
			look->bytes = larger;
			look->room += 4 * (size_t)READ_BYTES;
		}
		const ssize_t n = read(look->fd, look->bytes + look->n, READ_BYTES);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		if (n <= 0)
			return finish(look, view);
		look->n += (size_t)n;
	}
}
