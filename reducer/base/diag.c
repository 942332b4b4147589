#include "base/diag.h"

#include "base/plain.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool hushed, line_shown;
static int64_t line_ns;

static void clear_line(void)
{
	if (line_shown)
		fputs("\r\033[K", stderr);
	line_shown = false;
}

/* Paths and names in it come from anywhere. */
static void print_plain(const char *format, va_list args)
{
	char *text = NULL;
	if (vasprintf(&text, format, args) < 0)
		return;
	plain_text(text);
	fputs(text, stderr);
	free(text);
}

void diag_hush(bool hush)
{
	pthread_mutex_lock(&lock);
	hushed = hush;
	pthread_mutex_unlock(&lock);
}

void diag(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	pthread_mutex_lock(&lock);
	if (!hushed) {
		clear_line();
		fputs("baton: ", stderr);
		print_plain(format, args);
		fputc('\n', stderr);
	}
	pthread_mutex_unlock(&lock);
	va_end(args);
}

void diag_at(const char *path, uint64_t offset, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	pthread_mutex_lock(&lock);
	if (!hushed) {
		clear_line();
		fputs("baton: ", stderr);
		plain_put(path, stderr);
		fprintf(stderr, ": offset 0x%" PRIx64 ": ", offset);
		print_plain(format, args);
		fputc('\n', stderr);
	}
	pthread_mutex_unlock(&lock);
	va_end(args);
}

enum status status_worse(enum status a, enum status b)
{
	static const int weight[] = {[STATUS_OK] = 0,    [STATUS_GATE] = 1,  [STATUS_PARTIAL] = 2,
								 [STATUS_INPUT] = 3, [STATUS_USAGE] = 4, [STATUS_OUTPUT] = 5};
	return weight[a] >= weight[b] ? a : b;
}

void progress(const char *format, ...)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	int64_t now_ns = now.tv_sec * (int64_t)1000000000 + now.tv_nsec;
	va_list args;
	va_start(args, format);
	pthread_mutex_lock(&lock);
	if (isatty(STDERR_FILENO) && now_ns - line_ns >= 200000000) {
		fputs("\r\033[K", stderr);
		print_plain(format, args);
		line_shown = true;
		line_ns = now_ns;
	}
	pthread_mutex_unlock(&lock);
	va_end(args);
}

void progress_done(void)
{
	pthread_mutex_lock(&lock);
	clear_line();
	pthread_mutex_unlock(&lock);
}
