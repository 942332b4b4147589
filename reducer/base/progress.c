#include "base/progress.h"

#include "base/amount.h"
#include "base/plain.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_NS INT64_C(500000000)
#define EVERY_NS INT64_C(200000000)
#define RATE_NS INT64_C(300000000) /* before that a rate says little */
enum { WHAT_BYTES = 96, LINE_BYTES = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char what[WHAT_BYTES];
static const char *unit;
static atomic_bool under_way; /* a stage is, and a line may be shown */
static atomic_uint_fast64_t done, total;
static _Atomic int64_t next_ns; /* when the line is written again */
static int64_t first_ns, begun_ns;
static bool silent, shown;

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

/* ---- the text ---- */

static void __attribute__((format(printf, 3, 4)))
add(char *text, size_t bytes, const char *format, ...)
{
	const size_t n = strlen(text);
	va_list args;
	va_start(args, format);
	vsnprintf(text + n, bytes - n, format, args);
	va_end(args);
}

/* "587 of 960 GPUs", "412 MB of 1.2 GB", "412 MB". */
static void add_amount(const struct progress_state *s, char *text, size_t bytes)
{
	char a[32], b[32];
	if (s->unit)
		amount_grouped(s->done, a);
	else
		amount_bytes(s->done, a);
	if (s->total && s->unit)
		add(text, bytes, "   %s of %s %s", a, amount_grouped(s->total, b), s->unit);
	else if (s->total)
		add(text, bytes, "   %s of %s", a, amount_bytes(s->total, b));
	else
		add(text, bytes, "   %s%s%s", a, s->unit ? " " : "", s->unit ? s->unit : "");
}

const char *progress_text(const struct progress_state *s, char *text, size_t bytes)
{
	const double seconds = 1e-9 * (double)s->elapsed_ns, rate = (double)s->done / seconds;
	const bool known = s->elapsed_ns >= RATE_NS && s->done > 0;
	const uint64_t percent = s->total ? (uint64_t)(100.0 * (double)s->done / (double)s->total) : 0;
	char amount[32];
	snprintf(text, bytes, "%s", s->what);
	if (s->total)
		add(text, bytes, "   %u %%", (unsigned)(percent < 99 ? percent : 99));
	if (s->done > 0 || s->total)
		add_amount(s, text, bytes);
	if (known && s->unit)
		add(text, bytes, rate < 10 ? "   %.1f/s" : "   %.0f/s", rate);
	else if (known)
		add(text, bytes, "   %s/s", amount_bytes((uint64_t)rate, amount));
	if (known && s->total > s->done)
		add(text, bytes, "   %s left",
			amount_duration((int64_t)(1e9 * (double)(s->total - s->done) / rate), amount));
	return text;
}

/* ---- the line ---- */

/* With the lock held, as all below. */
static void erase(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}

/* A line that fills the terminal's width would go on in the next one, which is not erased. */
static size_t line_room(void)
{
	struct winsize size;
	const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
	return known ? size.ws_col - 1u : 79;
}

/* "import a/long/path.json  ..." becomes "import ..path.json  ...": its figures stay. Then the end
 * is cut. */
static void fit(char *text, size_t room)
{
	const char *space = strchr(what, ' ');
	const size_t n = strlen(text), name = strlen(what),
				 first = space ? (size_t)(space - what) + 1 : 0;
	int over = plain_columns(text) - (int)room;
	const size_t cut = first + plain_tail(text + first, plain_columns(text + first) - over - 2);
	if (over > 0 && first && cut + 1 < name) {
		memmove(text + first + 2, text + cut, n - cut + 1);
		memcpy(text + first, "..", 2);
		over = plain_columns(text) - (int)room;
	}
	if (over > 0)
		text[plain_head(text, (int)room)] = 0;
}

static void show(int64_t now)
{
	char text[LINE_BYTES];
	struct progress_state state = {.what = what,
								   .unit = unit,
								   .done = atomic_load(&done),
								   .total = atomic_load(&total),
								   .elapsed_ns = now - begun_ns};
	if (state.total && state.done > state.total) /* the total was an estimate */
		state.total = state.done;
	progress_text(&state, text, sizeof(text));
	fit(text, line_room());
	fprintf(stderr, "\r\033[K%s", text);
	fflush(stderr);
	shown = true;
	atomic_store(&next_ns, now + EVERY_NS);
}

static void show_in_time(void)
{
	const int64_t now = now_ns();
	if (now < atomic_load(&next_ns) || pthread_mutex_trylock(&lock) != 0)
		return;
	if (atomic_load(&under_way) && now >= atomic_load(&next_ns))
		show(now);
	pthread_mutex_unlock(&lock);
}

/* ---- stages ---- */

void progress_begin(const char *name, const char *of, uint64_t expected)
{
	if (silent || !isatty(STDERR_FILENO))
		return;
	pthread_mutex_lock(&lock);
	snprintf(what, sizeof(what), "%s", name);
	plain_text(what);
	unit = of;
	begun_ns = now_ns();
	if (!first_ns) {
		first_ns = begun_ns;
		atomic_store(&next_ns, first_ns + PATIENCE_NS);
	}
	atomic_store(&done, 0);
	atomic_store(&total, expected);
	atomic_store(&under_way, true);
	pthread_mutex_unlock(&lock);
	show_in_time();
}

void progress_expect(uint64_t more)
{
	atomic_fetch_add(&total, more);
}

void progress_add(uint64_t more)
{
	if (!atomic_load_explicit(&under_way, memory_order_relaxed))
		return;
	atomic_fetch_add(&done, more);
	show_in_time();
}

void progress_reach(uint64_t reached)
{
	if (!atomic_load_explicit(&under_way, memory_order_relaxed))
		return;
	atomic_store(&done, reached);
	show_in_time();
}

void progress_end(void)
{
	pthread_mutex_lock(&lock);
	atomic_store(&under_way, false);
	erase();
	pthread_mutex_unlock(&lock);
}

void progress_silence(void)
{
	silent = true;
	progress_end();
}

void progress_hold(void)
{
	pthread_mutex_lock(&lock);
	erase();
}

void progress_release(void)
{
	pthread_mutex_unlock(&lock);
}
