/* Keeps out: a screen with more lines or wider ones than the terminal has, whatever its size, the
 * rows and the place chosen; keys that are read out of half a sequence; a rank that is called far
 * from its GPU because a list of CPUs has no room on the screen. */
#include "check.h"
#include "read/run.h"
#include "top/board.h"
#include "top/keys.h"

#include <stdlib.h>
#include <string.h>

static struct top_view *make_view(uint32_t rows)
{
	struct top_view *view = calloc(1, sizeof(*view) + rows * sizeof(view->rows[0]));
	if (!view)
		exit(1);
	view->reduced = true;
	view->n_rows = rows;
	view->hosts = 2;
	view->missing_ranks = 3;
	view->last_ns = 30000000000;
	view->figures.step_ns = 20000000;
	view->figures.has_steps = true;
	memset(view->answer, 'x', sizeof(view->answer) - 1);
	for (uint32_t i = 0; i < rows; i++) {
		struct top_row *row = &view->rows[i];
		*row = (struct top_row){.rank = (int32_t)i,
								.pid = INT64_MAX,
								.state = (enum top_state)(i % 5),
								.measured = i % 3 != 0,
								.window_ns = 1000,
								.steps = 3,
								.step_ns = 20000000 + i,
								.lost = UINT64_MAX,
								.slowest = i == 5,
								.late_ns = i,
								.quiet_ns = INT64_MAX};
		memset(row->gpu, 'g', sizeof(row->gpu) - 1);
		snprintf(row->host, sizeof(row->host), "node%u", i % 2);
		row->place.at = i + 1;
		memset(row->place.links, 'N', sizeof(row->place.links) - 1);
		memset(row->place.cpus, '9', sizeof(row->place.cpus) - 1);
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
			row->time_ns[leaf] = 1000 / LEAF_COUNT;
	}
	return view;
}

static void fits(struct top_board *board, const struct top_view *view, int width, int height)
{
	char *text = NULL;
	size_t bytes;
	int lines = 1, wide = 0, column = 0;
	FILE *out = open_memstream(&text, &bytes);
	const struct screen screen = {.out = out, .width = width};
	if (!out)
		exit(1);
	top_board_draw(board, view, &screen, height);
	fclose(out);
	for (const char *c = text; *c; c++) {
		column = *c == '\n' ? 0 : column + 1;
		wide = column > wide ? column : wide;
		lines += *c == '\n';
	}
	/* the last one ends with a line feed too, under which nothing stands */
	CHECK(lines - 1 == height, "%d x %d: %d lines", width, height, lines - 1);
	CHECK(wide <= width, "%d x %d: %d columns", width, height, wide);
	free(text);
}

static void screens(void)
{
	static const uint32_t rows[] = {0, 1, 4, 200};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct top_view *view = make_view(rows[i]);
		for (int height = 4; height < 40; height += 3)
			for (int width = 20; width < 220; width += 37) {
				struct top_board board = {.dir = "a/directory/with/a/long/name/that/does/not/end"};
				board.order = (enum top_order)(height % TOP_ORDERS);
				fits(&board, view, width, height);
				board.moved = true;
				board.chosen = UINT32_MAX;
				board.notice = "something is wrong";
				fits(&board, view, width, height);
				CHECK(rows[i] == 0 || board.chosen < rows[i] || height < 8, "chosen: %u",
					  board.chosen);
				board.chosen = 0;
				fits(&board, view, width, height);
				board.topology = true;
				fits(&board, view, width, height);
				board.help = true;
				fits(&board, view, width, height);
				fits(&board, NULL, width, height);
			}
		free(view);
	}
}

static void key(const char *bytes, enum key is, size_t takes)
{
	size_t used = 99;
	const enum key got = key_of(bytes, strlen(bytes), &used);
	CHECK(got == is && used == takes, "%d of %zu bytes", got, used);
}

static void keys(void)
{
	key("q", KEY_QUIT, 1);
	key("sq", KEY_SORT, 1);
	key("\033", KEY_ESCAPE, 1);
	key("\033q", KEY_ESCAPE, 1);
	key("\033[A", KEY_UP, 3);
	key("\033OB", KEY_DOWN, 3);
	key("\033[5~q", KEY_PAGE_UP, 4);
	key("\033[6~", KEY_PAGE_DOWN, 4);
	key("\033[", KEY_NONE, 2);
	key("\033[5", KEY_NONE, 3);
	key("\033[1;5Aq", KEY_NONE, 6);
	key("\033[200~q", KEY_NONE, 6);
	key("\xff", KEY_NONE, 1);
	key("x", KEY_NONE, 1);
	key("t", KEY_TOPOLOGY, 1);
}

static void meet(const char *cpus, const char *others, bool do_they)
{
	CHECK(top_place_meets(cpus, others) == do_they && top_place_meets(others, cpus) == do_they,
		  "%s and %s", cpus, others);
}

static void lists_of_cpus(void)
{
	meet("0-3", "3-5", true);
	meet("0-3", "4-5", false);
	meet("0,2,4", "1,3,5", false);
	meet("0-1,64-65", "2-63,65", true);
	meet("7", "7", true);
	meet("", "7", true);
	meet("0-3..", "4", false);
	meet("99999999999999999999-3", "4", false);
	meet("x", "4", false);
}

static uint32_t add(struct run *run, const char *text)
{
	uint32_t id = 0;
	int is_new;
	CHECK(strings_add(&run->pool, text, strlen(text), &id, &is_new) == 0, "no memory");
	return id;
}

/* The even CPUs are near the GPU, as on machines that number them by turns. */
static void long_list(void)
{
	struct run run = {0};
	struct run_device device = {0};
	char path[] = "none", even[1024] = "0", *end = even + 1;
	struct run_process process = {.path = path};
	struct top_place place;
	if (strings_init(&run.pool) != 0)
		exit(1);
	for (int cpu = 2; cpu < 256; cpu += 2)
		end += sprintf(end, ",%d", cpu);
	device.cpus = add(&run, even);
	process.cpus = add(&run, "250");
	top_place_find(&place, &run, &device, &process);
	CHECK(!place.far && strcmp(place.cpus, "250") == 0, "far of %s", place.gpu_cpus);
	CHECK(strlen(place.gpu_cpus) > 40 &&
			  strcmp(place.gpu_cpus + strlen(place.gpu_cpus) - 2, "..") == 0,
		  "%s", place.gpu_cpus);
	process.cpus = add(&run, "251");
	top_place_find(&place, &run, &device, &process);
	CHECK(place.far, "near %s", place.gpu_cpus);
	top_place_find(&place, &run, NULL, &process);
	CHECK(!place.far && !place.gpu_cpus[0], "%s", place.gpu_cpus);
	strings_free(&run.pool);
}

int main(void)
{
	screens();
	keys();
	lists_of_cpus();
	long_list();
	return finish();
}
