#include "base/message.h"

#include "base/config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
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

static void say(const char *format, va_list values)
{
	char line[512] = "baton: ";
	size_t n = strlen(line);
	int text = vsnprintf(line + n, sizeof(line) - n - 1, format, values);
	if (text < 0)
		return;
	n += (size_t)text < sizeof(line) - n - 1 ? (size_t)text : sizeof(line) - n - 2;
	line[n++] = '\n';
	message_write(line, n);
}

void message(const char *format, ...)
{
	va_list values;
	va_start(values, format);
	say(format, values);
	va_end(values);
}

void message_detail(const char *format, ...)
{
	if (!config.verbose)
		return;
	va_list values;
	va_start(values, format);
	say(format, values);
	va_end(values);
}
