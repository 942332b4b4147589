#include "base/message_write.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static bool is_pending(int signal)
{
	sigset_t pending;
	return sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;
}

void message_write(const char *line, size_t bytes)
{
	struct pollfd out = {.fd = STDERR_FILENO, .events = POLLOUT};
	struct timespec at_once = {0, 0};
	sigset_t pipe, before;
	if (poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT))
		return;
	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	bool was_pending = is_pending(SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, &before);
	ssize_t written = write(STDERR_FILENO, line, bytes);
	if (written < 0 && errno == EPIPE && !was_pending)
		sigtimedwait(&pipe, NULL, &at_once); /* ours: the job never sees it */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
