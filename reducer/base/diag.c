#include "base/diag.h"

#include "base/plain.h"
#include "base/progress.h"
#include "base/tty.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* In a pager the lines of both outputs follow each other, as on a terminal. */
static void begin_line(void)
{
	progress_hold();
	if (tty_is_paged())
		fflush(stdout);
}

static const char *alias_path, *alias_shown;

/* Paths and names in it come from anywhere. */
static void put_plain(const char *text)
{
	const size_t n = alias_path ? strlen(alias_path) : 0;
	for (const char *at; n && (at = strstr(text, alias_path)); text = at + n) {
		char *before = strndup(text, (size_t)(at - text));
		plain_put(before ? before : "", stderr);
		plain_put(alias_shown, stderr);
		free(before);
	}
	plain_put(text, stderr);
}

static void print_plain(const char *format, va_list args)
{
	char *text = NULL;
	if (vasprintf(&text, format, args) < 0)
		return;
	put_plain(text);
	free(text);
}

/* ---- what was said before ---- */

enum { SAID_ROOM = 1024 }; /* more different lines than that are not said */

static struct {
	bool once, quiet;
	uint64_t keys[SAID_ROOM];
	size_t n;
} said;

/* The same for lines that differ in words that are numbers. */
static uint64_t add_words(uint64_t key, const char *text)
{
	while (*text) {
		const size_t n = strcspn(text, " ") + strspn(text + strcspn(text, " "), " ");
		const bool is_number =
			text[0] >= '0' && text[0] <= '9' && !memchr(text, '/', strcspn(text, " "));
		for (size_t i = 0; i < n && !is_number; i++)
			key = (key ^ (unsigned char)text[i]) * 0x100000001b3;
		text += n;
	}
	return key;
}

/* `path` may be NULL. With the lock held. */
static bool is_new(const char *path, const char *format, va_list args)
{
	char *text = NULL;
	if (said.quiet || !said.once)
		return !said.quiet;
	if (vasprintf(&text, format, args) < 0)
		return false;
	uint64_t key = 0xcbf29ce484222325;
	for (const char *c = path ? path : ""; *c; c++)
		key = (key ^ (unsigned char)*c) * 0x100000001b3;
	key = add_words(key, text);
	free(text);
	for (size_t i = 0; i < said.n; i++)
		if (said.keys[i] == key)
			return false;
	if (said.n == SAID_ROOM)
		return false;
	said.keys[said.n++] = key;
	return true;
}

void diag_once(bool once)
{
	pthread_mutex_lock(&lock);
	said.once = once;
	pthread_mutex_unlock(&lock);
}

void diag_alias(const char *path, const char *shown)
{
	pthread_mutex_lock(&lock);
	alias_path = path;
	alias_shown = shown;
	pthread_mutex_unlock(&lock);
}

void diag_quiet(bool quiet)
{
	pthread_mutex_lock(&lock);
	said.quiet = quiet;
	pthread_mutex_unlock(&lock);
}

/* ---- lines ---- */

void diag(const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	pthread_mutex_lock(&lock);
	if (is_new(NULL, format, again)) {
		begin_line();
		fputs("baton: ", stderr);
		print_plain(format, args);
		fputc('\n', stderr);
		progress_release();
	}
	pthread_mutex_unlock(&lock);
	va_end(again);
	va_end(args);
}

void diag_at(const char *path, uint64_t offset, const char *format, ...)
{
	va_list args, again;
	va_start(args, format);
	va_copy(again, args);
	pthread_mutex_lock(&lock);
	if (is_new(path, format, again)) {
		begin_line();
		fputs("baton: ", stderr);
		put_plain(path);
		fprintf(stderr, ": offset 0x%" PRIx64 ": ", offset);
		print_plain(format, args);
		fputc('\n', stderr);
		progress_release();
	}
	pthread_mutex_unlock(&lock);
	va_end(again);
	va_end(args);
}

enum status status_worse(enum status a, enum status b)
{
	static const int weight[] = {[STATUS_OK] = 0,    [STATUS_GATE] = 1,  [STATUS_PARTIAL] = 2,
								 [STATUS_INPUT] = 3, [STATUS_USAGE] = 4, [STATUS_OUTPUT] = 5};
	return weight[a] >= weight[b] ? a : b;
}
