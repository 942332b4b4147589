#include "top/live.h"

#include "base/diag.h"
#include "base/tty.h"
#include "read/paths.h"
#include "top/board.h"
#include "top/keys.h"
#include "top/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

static const int64_t S = 1000000000, MS = 1000000;
enum {
	IDLE_TIMES = 9, /* a pause is so many times what a look took */
	FIRST_S = 3,    /* the first window */
	LONG_LOOK_MS = 1000,
	SHORT_LOOK_MS = 300,
	MANY_STEPS = 16,
	PAGE = 10, /* rows of page up and page down */
	LEAST_WIDTH = 20,
	LEAST_HEIGHT = 4
};

struct live {
	const struct top_plan *plan;
	struct top_board board;
	struct top_look look;
	struct top_view *view;     /* NULL: nothing was seen yet */
	char failed[100];          /* why the last look gave no view; "": it did */
	int64_t last_ns;           /* the window now */
	int64_t begun_ns, next_ns; /* CLOCK_MONOTONIC: of the look under way; of the next one */
	uint64_t seen;             /* what the files were like at the last look */
	bool quit;
	int signal; /* that ends it */
};

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * S + t.tv_nsec;
}

/* ---- looks ---- */

/* Changes when a file of the run does: then it is worth a look. */
static uint64_t print_of_files(const struct top_plan *plan)
{
	uint64_t print = 1;
	struct paths paths = {0};
	for (size_t i = 0; i < plan->n_dirs; i++)
		paths_add(&paths, plan->dirs[i], false);
	for (size_t i = 0; i < paths.n; i++) {
		struct stat st = {0};
		if (stat(paths.at[i], &st) != 0)
			continue;
		const uint64_t of[] = {st.st_ino, (uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec,
							   (uint64_t)st.st_mtim.tv_nsec};
		print = XXH3_64bits_withSeed(of, sizeof(of), print);
	}
	paths_free(&paths);
	return print;
}

/* The states of processes change without their files while they are silent. */
static bool is_worth_a_look(struct live *live)
{
	const uint64_t print = print_of_files(live->plan);
	const bool worth = print != live->seen || !live->view || !top_view_over(live->view);
	live->seen = print;
	return worth;
}

static void begin_look(struct live *live)
{
	live->begun_ns = clock_ns(CLOCK_MONOTONIC);
	live->next_ns = live->begun_ns + live->plan->every_ns;
	if (!is_worth_a_look(live))
		return;
	const int error = top_look_begin(&live->look, live->last_ns);
	if (error)
		snprintf(live->failed, sizeof(live->failed), "cannot look: %s", strerror(-error));
}

/* The next window: wider where it holds few steps, narrower where a look takes long, and as asked
 * where it takes little. The first one is narrow, so that the first screen comes soon. */
static int64_t next_window_ns(const struct live *live, int64_t took_ns)
{
	const struct top_view *view = live->view;
	const int64_t last_ns = live->last_ns, asked_ns = live->plan->last_ns;
	if (!view->reduced || view->whole)
		return last_ns;
	if (top_view_is_narrow(view))
		return last_ns < TOP_MOST_WIDER * asked_ns ? 2 * last_ns : last_ns;
	if (took_ns > LONG_LOOK_MS * MS && view->figures.steps >= MANY_STEPS && last_ns >= 2 * S)
		return last_ns / 2;
	if (took_ns < SHORT_LOOK_MS * MS && last_ns < asked_ns)
		return 2 * last_ns < asked_ns ? 2 * last_ns : asked_ns;
	return last_ns;
}

static void fit_window(struct live *live, int64_t took_ns)
{
	const int64_t next_ns = next_window_ns(live, took_ns);
	if (next_ns != live->last_ns)
		live->seen = 0;
	live->last_ns = next_ns;
}

static void take_look(struct live *live)
{
	struct top_view *view;
	const int got = top_look_take(&live->look, &view);
	if (got == 0)
		return;
	const int64_t now_ns = clock_ns(CLOCK_MONOTONIC), took_ns = now_ns - live->begun_ns;
	const int64_t rest_ns = IDLE_TIMES * took_ns;
	live->next_ns = now_ns + (rest_ns > live->plan->every_ns ? rest_ns : live->plan->every_ns);
	live->failed[0] = 0;
	if (got < 0) {
		snprintf(live->failed, sizeof(live->failed), "the last look failed: %s",
				 got == -ENOMEM ? strerror(ENOMEM) : "its process ended");
		return;
	}
	if (!view->reduced && live->view && live->view->reduced && view->n_rows == 0) {
		free(view); /* a directory that cannot be read for a moment */
		return;
	}
	free(live->view);
	live->view = view;
	fit_window(live, took_ns);
}

/* ---- keys ---- */

static void move(struct live *live, int by)
{
	const int64_t to = (int64_t)live->board.chosen + by;
	const uint32_t n = live->view ? live->view->n_rows : 0;
	live->board.moved = true;
	live->board.chosen = to < 0 || n == 0 ? 0 : to >= n ? n - 1 : (uint32_t)to;
}

static void answer_key(struct live *live, enum key key)
{
	struct top_board *board = &live->board;
	switch (key) {
	case KEY_QUIT:
		live->quit = true;
		break;
	case KEY_SORT:
		board->order = (board->order + 1) % TOP_ORDERS;
		board->moved = false;
		break;
	case KEY_PAUSE:
		board->paused = !board->paused;
		live->next_ns = board->paused ? live->next_ns : 0;
		break;
	case KEY_HELP:
		board->help = !board->help;
		break;
	case KEY_TOPOLOGY:
		board->topology = !board->topology;
		board->help = false;
		break;
	case KEY_ESCAPE:
		board->help = board->topology = false;
		board->moved = false;
		break;
	case KEY_UP:
	case KEY_DOWN:
		move(live, key == KEY_UP ? -1 : 1);
		break;
	case KEY_PAGE_UP:
	case KEY_PAGE_DOWN:
		move(live, key == KEY_PAGE_UP ? -PAGE : PAGE);
		break;
	case KEY_FIRST:
	case KEY_LAST:
		move(live, key == KEY_FIRST ? -(1 << 30) : 1 << 30);
		break;
	case KEY_NONE:
		break;
	}
}

static void read_keys(struct live *live, short events)
{
	char bytes[256];
	const ssize_t n = read(STDIN_FILENO, bytes, sizeof(bytes));
	if (n <= 0 && (events & (POLLHUP | POLLERR)))
		live->quit = true; /* the terminal is gone */
	for (size_t at = 0, used; n > 0 && at < (size_t)n; at += used)
		answer_key(live, key_of(bytes + at, (size_t)n - at, &used));
}

static void read_signals(struct live *live)
{
	for (int signal; (signal = terminal_signal()) != 0;) {
		if (signal == SIGTSTP)
			terminal_stop();
		else if (signal == SIGCONT)
			terminal_again();
		else if (signal == SIGWINCH)
			terminal_resized();
		else
			live->signal = signal;
	}
}

/* ---- the screen ---- */

/* What was said of a view that lacks something, or why there is no newer one. */
static const char *notice_of(const struct live *live)
{
	const struct top_view *view = live->view;
	if (live->failed[0])
		return live->failed;
	return view && view->reduced && view->status != STATUS_OK ? view->message : NULL;
}

static int draw(struct live *live)
{
	char *text = NULL;
	size_t bytes;
	int width, height;
	const int64_t step_ns = live->view ? live->view->figures.step_ns : 0;
	FILE *out = open_memstream(&text, &bytes);
	if (!out)
		return -ENOMEM;
	terminal_size(&width, &height);
	const struct screen screen = {.out = out,
								  .width = width,
								  .colour = tty_is_coloured(STDOUT_FILENO),
								  .decimals = figures_ms_decimals(step_ns)};
	live->board.notice = notice_of(live);
	if (width < LEAST_WIDTH || height < LEAST_HEIGHT)
		fprintf(out, "%.*s", width, "too small");
	else
		top_board_draw(&live->board, live->view, &screen, height);
	fclose(out);
	const int error = terminal_show(text);
	free(text);
	return error;
}

/* Milliseconds until there is something to do; the clock on the screen moves once a second. */
static int patience_ms(const struct live *live)
{
	const int64_t left_ns = live->next_ns - clock_ns(CLOCK_MONOTONIC);
	if (live->look.pid || live->board.paused || left_ns > S)
		return 1000;
	return left_ns > 0 ? (int)(left_ns / MS) + 1 : 0;
}

static int turn(struct live *live)
{
	struct pollfd of[] = {{.fd = STDIN_FILENO, .events = POLLIN},
						  {.fd = terminal_signals(), .events = POLLIN},
						  {.fd = live->look.pid ? live->look.fd : -1, .events = POLLIN}};
	if (!live->look.pid && !live->board.paused && clock_ns(CLOCK_MONOTONIC) >= live->next_ns) {
		begin_look(live);
		return 0;
	}
	const int error = draw(live);
	if (error)
		return error;
	if (poll(of, sizeof(of) / sizeof(of[0]), patience_ms(live)) < 0 && errno != EINTR)
		return -errno;
	if (of[1].revents)
		read_signals(live);
	if (of[0].revents)
		read_keys(live, of[0].revents);
	if (of[2].revents)
		take_look(live);
	return 0;
}

int top_live(const struct top_plan *plan)
{
	struct live live = {.plan = plan,
						.board = {.dir = plan->dirs[0], .topology = plan->topology},
						.look = {.looker = plan->looker, .of = plan->of},
						.last_ns = plan->last_ns < FIRST_S * S ? plan->last_ns : FIRST_S * S};
	int error = terminal_enter();
	while (!error && !live.quit && !live.signal)
		error = turn(&live);
	top_look_end(&live.look);
	free(live.view);
	terminal_leave();
	if (live.signal && live.signal != SIGINT) {
		signal(live.signal, SIG_DFL);
		raise(live.signal);
	}
	if (error && error != -EIO) /* EIO: the terminal is gone */
		diag("the terminal cannot be used: %s", strerror(-error));
	return error ? STATUS_OUTPUT : STATUS_OK;
}
