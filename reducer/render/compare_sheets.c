#include "render/compare_sheets.h"

#include "conclude/time_tree.h"
#include "render/compare_rows.h"

#include <math.h>

static bool is_compared(const struct comparison *c, size_t i)
{
	return i != c->result->base && !c->work[i].other;
}

static void runs_sheet(const struct comparison *c, struct sheets *sheets)
{
	static const char *const heads[] = {"run",      "role",    "repeats",        "gpus",
										"steps",    "step_ns", "speed_up",       "efficiency",
										"ideal_ns", "loss_ns", "different_work", NULL};
	static const struct sheet_spec spec = {"runs", "The runs", heads};
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < c->n; i++) {
		const struct scaling_run *run = &c->runs[i];
		const bool other = c->work[i].other != WORK_AS_WANTED;
		const struct cell cells[] = {cell_text(c->names[i]),
									 cell_text(i == c->result->base ? "base" : "run"),
									 cell_number((int64_t)c->sides[i].side->n),
									 cell_number(run->figures->devices),
									 cell_number(run->figures->steps),
									 cell_ns(run->figures->step_ns),
									 cell_short(run->speed_up),
									 cell_short(run->efficiency),
									 other ? cell_none() : cell_ns(run->ideal_ns),
									 other ? cell_none() : cell_ns(run->loss_ns),
									 other ? cell_text(work_other_name(c->work[i].other))
										   : cell_none()};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

/* The terms add up to the run's loss, as measured and with the waits charged. */
static void terms_of(const struct comparison *c, size_t i, struct sheets *sheets)
{
	const struct scaling_run *base = &c->runs[c->result->base], *run = &c->runs[i];
	const uint64_t carried = base->figures->carried | run->figures->carried;
	const bool known = c->changes[i].known;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		const struct change_range *range = &c->charged[i].ranges[leaf];
		const struct cell cells[] = {cell_text(c->names[i]),
									 cell_text(leaf_name((enum leaf)leaf)),
									 cell_text(time_label((enum leaf)leaf)),
									 cell_ns(base->figures->time_ns[leaf]),
									 cell_ns(run->figures->time_ns[leaf]),
									 cell_ns(run->terms_ns[leaf]),
									 cell_ns(c->charged[i].terms_ns[leaf]),
									 known ? cell_ns(range->low_ns) : cell_none(),
									 known ? cell_ns(range->high_ns) : cell_none(),
									 known ? cell_yes(range->changed) : cell_none()};
		const bool any = base->figures->time_ns[leaf] || run->figures->time_ns[leaf] ||
						 c->charged[i].terms_ns[leaf];
		const bool shown = any || sheets->format != SHEET_MARKDOWN;
		if (shown && carried & LEAF_BIT(leaf))
			sheets_row(sheets, cells);
	}
}

static void terms_sheet(const struct comparison *c, struct sheets *sheets)
{
	static const char *const heads[] = {"run",     "leaf",    "name",       "base_time_ns",
										"time_ns", "term_ns", "charged_ns", "low_ns",
										"high_ns", "changed", NULL};
	static const struct sheet_spec spec = {"terms", "Where the loss of each run went, by step",
										   heads};
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < c->n; i++)
		if (is_compared(c, i))
			terms_of(c, i, sheets);
	sheets_end(sheets);
}

static void put_row(const char *run, enum row_change_kind kind, const struct row_change *row,
					struct sheets *sheets)
{
	static const char *const kinds[CHANGE_KINDS] = {
		[CHANGE_KERNELS] = "kernel", [CHANGE_LINES] = "line", [CHANGE_COLLECTIVES] = "collective"};
	const bool known = !isnan(row->half_ns);
	char name[4096];
	const struct cell cells[] = {cell_text(run),
								 cell_text(kinds[kind]),
								 cell_text(compare_rows_name(row, kind, name, sizeof(name))),
								 cell_yes(row->backward),
								 row->bytes > 0 ? cell_number(row->bytes) : cell_none(),
								 row->in_base ? cell_ns(llround(row->base_ns)) : cell_none(),
								 row->in_run ? cell_ns(llround(row->run_ns)) : cell_none(),
								 cell_ns(llround(row_change_ns(row))),
								 known ? cell_ns(llround(row->half_ns)) : cell_none(),
								 known ? cell_yes(row->changed) : cell_none()};
	sheets_row(sheets, cells);
}

static void rows_sheet(const struct comparison *c, struct sheets *sheets)
{
	static const char *const heads[] = {"run",      "kind",         "name",    "backward",
										"bytes",    "base_time_ns", "time_ns", "change_ns",
										"noise_ns", "changed",      NULL};
	static const struct sheet_spec spec = {
		"rows", "Kernels, lines of code and collectives by how much they changed", heads};
	enum { MARKDOWN_ROWS = 10 };
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < c->n; i++)
		for (int kind = 0; kind < CHANGE_KINDS && is_compared(c, i); kind++) {
			const struct row_changes *rows = &c->rows[i][kind];
			const bool few = sheets->format == SHEET_MARKDOWN;
			for (size_t k = 0; k < rows->n && (!few || k < MARKDOWN_ROWS); k++)
				put_row(c->names[i], (enum row_change_kind)kind, &rows->at[k], sheets);
		}
	sheets_end(sheets);
}

int compare_sheets(const struct comparison *c, enum sheet_format format, FILE *out)
{
	struct sheets sheets;
	sheets_open(&sheets, out, format);
	runs_sheet(c, &sheets);
	terms_sheet(c, &sheets);
	rows_sheet(c, &sheets);
	return sheets.error;
}
