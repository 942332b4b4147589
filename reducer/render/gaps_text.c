#include "classify/demangle.h"
#include "render/report.h"
#include "render/columns.h"

#include <stdlib.h>

static const struct column leaf_columns[] = {
	{"", 7, 26, COLUMN_LEFT}, {"", 1, 10, COLUMN_RIGHT}, {"", 1, 0, COLUMN_LEFT}};

enum { GAP_HANG = 5, TEXT_HANG = 15 };

static void gap_lines(const struct screen *screen, const struct gap_proof *g, size_t number)
{
	struct text_buffer length, since, begin, end, doing, name;
	struct columns table;
	char readable[1024], line[sizeof(g->line)];
	demangle(g->next_op, readable, sizeof(readable));
	screen_title_wrap(screen, GAP_HANG, "%3zu  %s ms idle on %s, step %lld, %s ms %s its first op",
					  number, text_ms(screen, g->b_ns - g->a_ns, &length), g->device,
					  (long long)(g->step_number < 0 ? g->step : g->step_number),
					  text_ms(screen, llabs(g->since_ns), &since),
					  g->since_ns < 0 ? "before" : "after");
	screen_wrap(screen, TEXT_HANG, "     then ran  %s", text_cut(readable, 80, &name));
	by_short_line(g->launch_line, line, sizeof(line));
	if (g->next_call[0])
		screen_wrap(
			screen, TEXT_HANG, "     launched  by %s%s%s on thread %lld, %s to %s ms into the gap",
			g->next_call, line[0] ? " at " : "", line, (long long)g->tid,
			text_ms(screen, g->call_begin_ns, &begin), text_ms(screen, g->call_end_ns, &end));
	else
		screen_line(screen, "     launched  unknown: no launch record");
	by_short_line(g->line, line, sizeof(line));
	if (line[0])
		screen_wrap(screen, TEXT_HANG, "     meanwhile %s ms at %s",
					text_ms(screen, g->line_ns, &doing), line);
	if (g->doing[0] && (!line[0] || 10 * g->doing_ns >= g->b_ns - g->a_ns))
		screen_wrap(screen, TEXT_HANG, "     meanwhile %s ms in %s",
					text_ms(screen, g->doing_ns, &doing), g->doing);
	if (g->owed_ns > 0)
		screen_wrap(screen, TEXT_HANG, "     owed      %s ms to %s, which returned %s ms %s",
					text_ms(screen, g->owed_ns, &doing), g->owed_to,
					text_ms(screen, llabs(g->owed_returned_ns), &since),
					g->owed_returned_ns < 0 ? "before the gap" : "into the gap");
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
