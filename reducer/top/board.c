#include "top/board.h"

#include "base/amount.h"
#include "base/sort.h"
#include "conclude/finding_text.h"
#include "conclude/time_tree.h"
#include "render/columns.h"
#include "top/topology.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static const int64_t S = 1000000000;
enum {
	DETAIL_LINES = 3,
	LEAST_WITH_DETAILS = 14, /* lines of a screen */
	ANSWER_LINES = 2,
	MOST_DIR = 28,     /* characters of the directory's name; three times that on a wide screen */
	MOST_DETAILED = 64 /* rows of a file have their leaves below, when there are so few */
};

/* ---- the lines on top ---- */

static void add(char *line, size_t bytes, const char *between, const char *text)
{
	const size_t used = strlen(line);
	snprintf(line + used, bytes - used, "%s%s", used ? between : "", text);
}

/* "recording", "recording, 1 killed", "ended". */
static void state_words(const struct top_view *view, char *out, size_t bytes)
{
	uint32_t n[TOP_KILLED + 1] = {0};
	const bool over = top_view_over(view);
	char part[64];
	snprintf(out, bytes, "%s", over ? "ended" : "recording");
	for (uint32_t i = 0; i < view->n_rows; i++)
		n[view->rows[i].state]++;
	for (enum top_state state = TOP_STALLS; state <= TOP_KILLED; state++) {
		static const char *const words[] = {[TOP_STALLS] = "without work",
											[TOP_SILENT] = "silent",
											[TOP_ENDED] = "ended",
											[TOP_KILLED] = "killed"};
		if (n[state] == 0 || (over && state == TOP_ENDED))
			continue;
		snprintf(part, sizeof(part), "%u %s", n[state], words[state]);
		add(out, bytes, ", ", part);
	}
	if (view->missing_ranks == 1)
		snprintf(part, sizeof(part), "rank %d has no file", view->first_missing);
	else
		snprintf(part, sizeof(part), "%u ranks have no file", view->missing_ranks);
	if (view->missing_ranks)
		add(out, bytes, ", ", part);
}

static void title_line(const struct screen *screen, const char *dir, const struct top_view *view,
					   bool paused)
{
	char state[160], hosts[48] = "", clock[16];
	const time_t at = (time_t)(view->at_ns / S);
	struct text_buffer name;
	uint32_t gpus = 0;
	struct tm tm;
	for (uint32_t i = 0; i < view->n_rows; i++)
		gpus += view->rows[i].gpu[0] != 0;
	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&at, &tm));
	if (view->hosts)
		snprintf(hosts, sizeof(hosts), ", %u host%s", view->hosts, view->hosts == 1 ? "" : "s");
	state_words(view, state, sizeof(state));
	text_cut(dir, screen->width > MOST_DIR * 3 ? MOST_DIR * 3 : MOST_DIR, &name);
	screen_title(screen, "%s   %u GPU%s%s   %s   %s%s", name.at, gpus, gpus == 1 ? "" : "s", hosts,
				 state, clock, paused ? "   paused" : "");
}

/* "19 steps of the run", "40 steps in the last 30 s"; without steps what the figures are of. */
static void part_words(const struct top_view *view, char *out, size_t bytes)
{
	const struct figures *f = &view->figures;
	const char *s = f->steps == 1 ? "" : "s";
	char last[32];
	amount_duration(view->last_ns, last);
	if (f->has_steps && view->whole)
		snprintf(out, bytes, "%lld step%s of the run", (long long)f->steps, s);
	else if (f->has_steps)
		snprintf(out, bytes, "%lld step%s in the last %s", (long long)f->steps, s, last);
	else if (view->whole)
		snprintf(out, bytes, "the whole run");
	else
		snprintf(out, bytes, "the last %s", last);
}

static void step_line(const struct screen *screen, const struct top_view *view)
{
	const struct figures *f = &view->figures;
	char part[80], step[80] = "no steps found", lost[32];
	struct text_buffer mean, p95;
	if (!view->reduced) {
		screen_line(screen, "nothing to show yet   %s lost", amount_grouped(view->lost, lost));
		return;
	}
	part_words(view, part, sizeof(part));
	if (f->has_steps)
		snprintf(step, sizeof(step), "step %.30s ms   p95 %.30s",
				 text_ms(screen, f->step_ns, &mean), text_ms(screen, f->p95_ns, &p95));
	screen_line(screen, "%s   computing %.1f %%   idle %.1f %%   %s lost   %s", step,
				text_percent(figures_time(f, LEAVES_WORK), f->step_ns),
				text_percent(figures_time(f, LEAVES_IDLE), f->step_ns),
				amount_grouped(view->lost, lost), part);
}

/* At most `lines` of a sentence; 0: all. */
static void sentence(const struct screen *screen, const char *text, int lines)
{
	char *all = NULL;
	size_t bytes;
	struct screen part = *screen;
	if (!text[0])
		return;
	part.out = open_memstream(&all, &bytes);
	if (!part.out)
		return;
	screen_title_wrap(&part, 0, "%s", text);
	fclose(part.out);
	char *end = all;
	for (int n = 0; end && *end && (lines == 0 || n < lines); n++) {
		end = strchr(end, '\n');
		end = end ? end + 1 : NULL;
	}
	const bool cut = end && *end;
	fprintf(screen->out, "%.*s%s", cut ? (int)(end - all) : (int)bytes, all,
			cut && screen->colour ? "\033[0m" : "");
	free(all);
}

/* ---- the table ---- */

static const struct column heads[] = {
	{"", 0, 1, COLUMN_LEFT},          {"rank", 1, 4, COLUMN_RIGHT},
	{"GPU", 1, 16, COLUMN_LEFT},      {"state", 1, 10, COLUMN_LEFT},
	{"ms/step", 1, 8, COLUMN_RIGHT},  {"comp%", 1, 5, COLUMN_RIGHT},
	{"NCCL%", 1, 5, COLUMN_RIGHT},    {"idle%", 1, 5, COLUMN_RIGHT},
	{"largest%", 1, 16, COLUMN_LEFT}, {"late ms", 1, 8, COLUMN_RIGHT},
	{"lost", 1, 7, COLUMN_RIGHT},     {"copy%", 1, 5, COLUMN_RIGHT},
	{"launch/s", 1, 8, COLUMN_RIGHT}, {"MHz", 1, 5, COLUMN_RIGHT},
	{"W", 1, 4, COLUMN_RIGHT},        {"C", 1, 3, COLUMN_RIGHT},
	{"MB", 1, 7, COLUMN_RIGHT},       {"slowed%", 1, 7, COLUMN_RIGHT}};

static void percent_cell(struct columns *table, const struct top_row *row, uint64_t leaves)
{
	if (row->measured)
		columns_cell(table, "%.1f", top_row_percent(row, leaves));
	else
		columns_cell(table, "-");
}

static const char *state_of(const struct top_row *row, char text[64])
{
	const bool tells = row->state == TOP_STALLS || row->state == TOP_SILENT;
	const long long s = (long long)(row->quiet_ns / S);
	if (tells && s < 1000)
		snprintf(text, 64, "%s %llds", top_state_name(row->state), s);
	else
		snprintf(text, 64, "%s", top_state_name(row->state));
	return text;
}

static double launches_per_s(const struct top_row *row)
{
	return row->window_ns > 0 ? (double)row->launches / ((double)row->window_ns * 1e-9) : 0;
}

static void row_cells(struct columns *table, const struct top_row *row)
{
	const enum leaf idle = top_row_idle(row);
	struct text_buffer gpu, late;
	char state[64];
	columns_cell(table, row->rank < 0 ? "-" : "%d", row->rank);
	columns_cell(table, "%s", row->gpu[0] ? text_device(row->gpu, 16, &gpu) : "no GPU yet");
	columns_cell(table, "%s", state_of(row, state));
	if (row->measured && row->steps)
		columns_ms(table, row->step_ns);
	else
		columns_cell(table, "-");
	percent_cell(table, row, LEAVES_WORK);
	percent_cell(table, row, LEAVES_NCCL);
	percent_cell(table, row, LEAVES_IDLE);
	if (row->measured && idle < LEAF_COUNT)
		columns_cell(table, "%.11s %.1f", time_label(idle), top_row_percent(row, LEAF_BIT(idle)));
	else
		columns_cell(table, "-");
	columns_cell(table, "%s", row->late_ns ? text_ms(table->screen, row->late_ns, &late) : "-");
	columns_cell(table, "%llu", (unsigned long long)row->lost);
	percent_cell(table, row, LEAVES_COPY);
	columns_cell(table, "%.0f", launches_per_s(row));
	for (int i = 0; i < TOP_READINGS; i++)
		columns_cell(table, row->readings[i] < 0 ? "-" : "%lld", (long long)row->readings[i]);
}

static void print_row(struct columns *table, const struct top_row *row, bool chosen)
{
	columns_cell(table, "%s", row->slowest ? "*" : chosen ? ">" : "");
	row_cells(table, row);
	columns_end(table,
				row->slowest || chosen || row->state == TOP_KILLED ? COLUMNS_BOLD : COLUMNS_PLAIN);
}

/* ---- one row's leaves ---- */

struct share {
	enum leaf leaf;
	double percent;
};

static int by_percent(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	if (x->percent != y->percent)
		return x->percent > y->percent ? -1 : 1;
	return (int)x->leaf - (int)y->leaf;
}

/* "busy %: matmul 40.1, NCCL wait 10.2", the largest first. */
static void leaves_line(const struct screen *screen, const struct top_row *row, bool busy,
						bool wrap)
{
	struct share shares[LEAF_COUNT];
	char line[1024], part[64];
	const uint64_t leaves = busy ? LEAVES_ALL & ~LEAVES_IDLE : LEAVES_IDLE;
	size_t n = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		const double percent = top_row_percent(row, LEAF_BIT(leaf) & leaves);
		if (percent >= 0.05)
			shares[n++] = (struct share){(enum leaf)leaf, percent};
	}
	sort_rows(shares, n, sizeof(shares[0]), by_percent);
	snprintf(line, sizeof(line), "  %s %%:%s", busy ? "busy" : "idle",
			 n               ? ""
			 : row->measured ? " none"
							 : " not known");
	for (size_t i = 0; i < n; i++) {
		snprintf(part, sizeof(part), "%s %.1f", time_label(shares[i].leaf), shares[i].percent);
		add(line, sizeof(line), i ? ", " : " ", part);
	}
	if (wrap)
		screen_wrap(screen, 4, "%s", line);
	else
		screen_line(screen, "%s", line);
}

/* Three lines, more where they are wrapped. */
static void detail_lines(const struct screen *screen, const struct top_view *view,
						 const struct top_row *row, bool wrap)
{
	char line[400], part[100], rank[32] = "no rank", state[64];
	struct text_buffer late;
	if (row->rank >= 0)
		snprintf(rank, sizeof(rank), "rank %d", row->rank);
	snprintf(line, sizeof(line), "%s   %s   pid %lld   %s", rank,
			 row->gpu[0] ? row->gpu : row->host, (long long)row->pid, state_of(row, state));
	if (row->late_ns) {
		snprintf(part, sizeof(part), "the others wait %.40s ms per %s for it",
				 text_ms(screen, row->late_ns, &late), finding_per(&view->figures));
		add(line, sizeof(line), "   ", part);
	} else if (row->slowest) {
		add(line, sizeof(line), "   ", "its steps are the longest");
	}
	screen_title(screen, "%s", line);
	leaves_line(screen, row, true, wrap);
	leaves_line(screen, row, false, wrap);
}

/* ---- order ---- */

static double weight_of(const struct top_row *row, enum top_order order)
{
	switch (order) {
	case TOP_BY_STEP:
		return (double)row->step_ns;
	case TOP_BY_LATE:
		return (double)row->late_ns;
	case TOP_BY_COMPUTING:
		return top_row_percent(row, LEAVES_WORK);
	case TOP_BY_IDLE:
		return top_row_percent(row, LEAVES_IDLE);
	case TOP_BY_LOST:
		return (double)row->lost;
	default:
		return 0;
	}
}

struct placed {
	double weight;
	uint32_t row;
};

static int by_weight(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* The rows in the order of the table; NULL: no memory. */
static struct placed *place_rows(const struct top_view *view, enum top_order order)
{
	struct placed *placed = malloc((view->n_rows + 1) * sizeof(*placed));
	for (uint32_t i = 0; placed && i < view->n_rows; i++)
		placed[i] = (struct placed){weight_of(&view->rows[i], order), i};
	if (placed)
		sort_rows(placed, view->n_rows, sizeof(*placed), by_weight);
	return placed;
}

/* ---- the whole ---- */

static int count_lines(const char *text)
{
	int n = 0;
	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void head_lines(const struct screen *screen, const struct top_board *board,
					   const struct top_view *view, int sentence_lines)
{
	title_line(screen, board->dir, view, board->paused);
	step_line(screen, view);
	sentence(screen, view->reduced ? view->answer : view->message, sentence_lines);
	screen_line(screen, "%s", board->notice ? board->notice : "");
}

void top_board_plain(const struct top_board *board, const struct top_view *view,
					 const struct screen *screen)
{
	struct placed *placed = place_rows(view, board->order);
	struct columns table;
	head_lines(screen, board, view, 0);
	if (board->topology) {
		topology_text(view, NULL, screen);
		free(placed);
		return;
	}
	columns_open(&table, screen, heads, sizeof(heads) / sizeof(heads[0]));
	columns_heads(&table);
	for (uint32_t i = 0; placed && i < view->n_rows; i++)
		print_row(&table, &view->rows[placed[i].row], false);
	for (uint32_t i = 0; placed && i < view->n_rows && view->n_rows <= MOST_DETAILED; i++) {
		if (!view->rows[placed[i].row].measured)
			continue;
		screen_line(screen, "%s", "");
		detail_lines(screen, view, &view->rows[placed[i].row], true);
	}
	free(placed);
}

static void help_lines(const struct screen *screen)
{
	static const char *const lines[] = {
		"q      quit (the job goes on)",
		"s      sort by rank, step, late, computing, idle, lost",
		"p      pause, and go on",
		"t      how the GPUs of the chosen rank's node are connected, NUMA nodes, CPUs; and back",
		"up, down, page up, page down (k, j)   choose the row whose shares are shown below",
		"?, h   this page",
		"",
		"*        the others wait for this rank, or its steps are the longest",
		"state    runs; stalls: no GPU work ended for so long; silent: no writing; ended; killed",
		"comp%    the GPU computes; NCCL%: communication that no kernel hides; idle%: neither",
		"largest% the largest kind of idle time",
		"late ms  how long the others wait for it, per step",
		"lost     records for which the recorder had no room",
	};
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		screen_line(screen, "%s", lines[i]);
}

static void foot_line(const struct screen *screen, const struct top_board *board)
{
	static const char *const orders[TOP_ORDERS] = {"rank",      "step", "late",
												   "computing", "idle", "lost"};
	screen_line(screen, "q quit   s sort: %s   t topology   p %s   ? help   up/down choose",
				orders[board->order], board->paused ? "go on" : "pause");
}

static uint32_t slowest_of(const struct top_view *view, const struct placed *placed)
{
	for (uint32_t i = 0; i < view->n_rows; i++)
		if (view->rows[placed[i].row].slowest)
			return i;
	return 0;
}

/* The node of the chosen row. */
static void topology_lines(const struct top_board *board, const struct top_view *view,
						   const struct screen *screen)
{
	struct placed *placed = place_rows(view, board->order);
	if (placed && view->n_rows) {
		const uint32_t chosen = board->moved ? board->chosen : slowest_of(view, placed);
		const uint32_t at = chosen < view->n_rows ? chosen : view->n_rows - 1;
		topology_text(view, view->rows[placed[at].row].host, screen);
	}
	free(placed);
}

static void table_lines(struct top_board *board, const struct top_view *view,
						const struct screen *screen, int height)
{
	struct placed *placed = place_rows(view, board->order);
	const bool details = height >= LEAST_WITH_DETAILS - 4;
	const uint32_t room = (uint32_t)(height - 2 - (details ? DETAIL_LINES + 1 : 0));
	struct columns table;
	if (!placed || view->n_rows == 0 || (int)room < 1) {
		free(placed);
		return;
	}
	if (!board->moved)
		board->chosen = slowest_of(view, placed);
	if (board->chosen >= view->n_rows)
		board->chosen = view->n_rows - 1;
	if (board->first > board->chosen || view->n_rows <= room)
		board->first = view->n_rows <= room ? 0 : board->chosen;
	if (board->chosen - board->first >= room)
		board->first = board->chosen - room + 1;
	columns_open(&table, screen, heads, sizeof(heads) / sizeof(heads[0]));
	columns_heads(&table);
	for (uint32_t i = board->first; i < view->n_rows && i - board->first < room; i++)
		print_row(&table, &view->rows[placed[i].row], i == board->chosen);
	if (view->n_rows > room)
		screen_line(screen, "  rows %u to %u of %u", board->first + 1,
					board->first + room < view->n_rows ? board->first + room : view->n_rows,
					view->n_rows);
	else
		screen_line(screen, "%s", "");
	if (details)
		detail_lines(screen, view, &view->rows[placed[board->chosen].row], false);
	free(placed);
}

/* What was printed to a stream in memory, cut to `most` lines. */
static int print_part(const struct screen *screen, char *text, int most)
{
	char *end = text;
	int n = 0;
	while (n < most && (end = strchr(end, '\n')) != NULL) {
		n++;
		end++;
	}
	fprintf(screen->out, "%.*s", end ? (int)(end - text) : (int)strlen(text), text);
	return n;
}

void top_board_draw(struct top_board *board, const struct top_view *view,
					const struct screen *screen, int height)
{
	struct screen part = *screen;
	char *text = NULL;
	size_t bytes;
	int used = 0;
	part.out = open_memstream(&text, &bytes);
	if (!part.out)
		return;
	if (view)
		head_lines(&part, board, view, height < LEAST_WITH_DETAILS ? 1 : ANSWER_LINES);
	else
		screen_title(&part, "%s   reading ...", board->dir);
	fflush(part.out);
	if (board->help)
		help_lines(&part);
	else if (view && board->topology)
		topology_lines(board, view, &part);
	else if (view)
		table_lines(board, view, &part, height - 1 - count_lines(text));
	fclose(part.out);
	used = print_part(screen, text, height - 1);
	for (; used < height - 1; used++)
		fputc('\n', screen->out);
	foot_line(screen, board);
	free(text);
}
