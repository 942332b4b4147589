#include "classify/demangle.h"
#include "render/report.h"
#include "render/columns.h"

#include <stdlib.h>

static const struct column leaf_columns[] = {
	{"", 7, 26, COLUMN_LEFT}, {"", 1, 10, COLUMN_RIGHT}, {"", 1, 0, COLUMN_LEFT}};

enum { GAP_HANG = 5, TEXT_HANG = 15 };

/* "1.5 ms into the gap", "11.7 s before the gap" */
static const char *moment(const struct screen *screen, int64_t ns, struct text_buffer *buffer)
{
	const char *side = ns < 0 ? "before" : "into";
	struct text_buffer ms;
	if (llabs(ns) >= 1000000000)
		snprintf(buffer->at, sizeof(buffer->at), "%.1f s %s the gap", (double)llabs(ns) / 1e9,
				 side);
	else
		snprintf(buffer->at, sizeof(buffer->at), "%.40s ms %s the gap",
				 text_ms(screen, llabs(ns), &ms), side);
	return buffer->at;
}

/* What launched the operation that ended the gap. */
static void launch_lines(const struct screen *screen, const struct gap_proof *g)
{
	struct text_buffer began, took;
	char line[sizeof(g->line)];
	by_short_line(g->launch_line, line, sizeof(line));
	if (!g->next_call[0]) {
		screen_line(screen, "     launched  unknown: no launch record");
		return;
	}
	screen_wrap(screen, TEXT_HANG,
				"     launched  by %s%s%s on thread %lld, called %s (the call took %s ms)",
				g->next_call, line[0] ? " at " : "", line, (long long)g->tid,
				moment(screen, g->call_begin_ns, &began),
				text_ms(screen, g->call_end_ns - g->call_begin_ns, &took));
}

/* What the launching thread did meanwhile. */
static void thread_lines(const struct screen *screen, const struct gap_proof *g)
{
	struct text_buffer doing, returned;
	char line[sizeof(g->line)];
	by_short_line(g->line, line, sizeof(line));
	if (line[0])
		screen_wrap(screen, TEXT_HANG, "     CPU was   %s ms at %s",
					text_ms(screen, g->line_ns, &doing), line);
	if (g->doing[0] && (!line[0] || 10 * (__int128)g->doing_ns >= g->b_ns - g->a_ns))
		screen_wrap(screen, TEXT_HANG, "     CPU was   %s ms in %s",
					text_ms(screen, g->doing_ns, &doing), g->doing);
	if (g->owed_ns > 0)
		screen_wrap(screen, TEXT_HANG,
					"     debt      %s ms: %s drained the queue and returned %s; the launches have "
					"not caught up since",
					text_ms(screen, g->owed_ns, &doing), g->owed_to,
					moment(screen, g->owed_returned_ns, &returned));
}

static void gap_lines(const struct screen *screen, const struct gap_proof *g, size_t number)
{
	struct text_buffer length, since, name;
	struct columns table;
	char readable[1024];
	demangle(g->next_op, readable, sizeof(readable));
	screen_title_wrap(
		screen, GAP_HANG, "%3zu  %s ms idle on %s, step %lld, %s ms %s the GPU's first operation",
		number, text_ms(screen, g->b_ns - g->a_ns, &length), g->device,
		(long long)(g->step_number < 0 ? g->step : g->step_number),
		text_ms(screen, llabs(g->since_ns), &since), g->since_ns < 0 ? "before" : "after");
	screen_wrap(screen, TEXT_HANG, "     then ran  %s", text_cut(readable, 80, &name));
	launch_lines(screen, g);
	thread_lines(screen, g);
	columns_open(&table, screen, leaf_columns, sizeof(leaf_columns) / sizeof(leaf_columns[0]));
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		if (g->leaf_ns[leaf] <= 0)
			continue;
		columns_cell(&table, "%s", leaf_name((enum leaf)leaf));
		columns_ms(&table, g->leaf_ns[leaf]);
		columns_cell(&table, "ms");
		columns_end(&table, COLUMNS_PLAIN);
	}
}

void report_gaps_text(const struct report *r, FILE *out)
{
	struct screen screen;
	screen_open(&screen, out, r->figures->step_ns);
	screen.decimals = 3;
	screen_title_wrap(&screen, GAP_HANG, "The %zu worst gap%s of %s", r->reduction->n_gaps,
					  r->reduction->n_gaps == 1 ? "" : "s", r->dirs[0]);
	for (size_t i = 0; i < r->reduction->n_gaps; i++)
		gap_lines(&screen, &r->reduction->gaps[i], i + 1);
}
