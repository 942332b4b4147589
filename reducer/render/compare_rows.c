#include "render/compare_rows.h"

#include "classify/demangle.h"
#include "conclude/by.h"
#include "render/columns.h"

#include <inttypes.h>
#include <math.h>

enum { JSON_ROWS = 100, TEXT_ROWS = 4, UNKNOWN_SHARE = 100, NAME_BYTES = 4096 };

const char *compare_rows_name(const struct row_change *row, enum row_change_kind kind, char *text,
							  size_t bytes)
{
	if (kind == CHANGE_KERNELS)
		demangle(row->name, text, bytes);
	else
		snprintf(text, bytes, "%s", row->name);
	return text;
}

/* ---- JSON ---- */

static void row_object(struct json *j, const struct row_change *row, enum row_change_kind kind)
{
	char name[NAME_BYTES];
	json_object(j, NULL);
	json_text(j,
			  kind == CHANGE_KERNELS ? "kernel"
			  : kind == CHANGE_LINES ? "line"
									 : "op",
			  compare_rows_name(row, kind, name, sizeof(name)));
	if (kind == CHANGE_LINES)
		json_bool(j, "backward", row->backward);
	if (kind == CHANGE_COLLECTIVES)
		json_known(j, "bytes", row->bytes);
	json_text(j, "in", row->in_base && row->in_run ? "both" : row->in_base ? "base" : "run");
	json_number(j, "base_ns", llround(row->base_ns));
	json_number(j, "run_ns", llround(row->run_ns));
	if (isnan(row->half_ns)) {
		json_null(j, "noise_ns");
		json_null(j, "changed");
	} else {
		json_number(j, "noise_ns", llround(row->half_ns));
		json_bool(j, "changed", row->changed);
	}
	json_end_object(j);
}

void compare_rows_json(struct json *j, const struct comparison *c, size_t i)
{
	static const char *const keys[CHANGE_KINDS] = {[CHANGE_KERNELS] = "changed_kernels",
												   [CHANGE_LINES] = "changed_lines",
												   [CHANGE_COLLECTIVES] = "changed_collectives"};
	for (int kind = 0; kind < CHANGE_KINDS; kind++) {
		const struct row_changes *rows = &c->rows[i][kind];
		json_object(j, keys[kind]);
		json_number(j, "rows_left_out", rows->n > JSON_ROWS ? (int64_t)rows->n - JSON_ROWS : 0);
		json_array(j, "rows");
		for (size_t k = 0; k < rows->n && k < JSON_ROWS; k++)
			row_object(j, &rows->at[k], (enum row_change_kind)kind);
		json_end_array(j);
		json_end_object(j);
	}
}

/* ---- text ---- */

static void name_cell(struct columns *table, const struct row_change *row,
					  enum row_change_kind kind)
{
	char name[NAME_BYTES];
	struct text_buffer cut;
	if (kind == CHANGE_LINES)
		by_short_line(row->name, name, sizeof(name));
	else if (kind == CHANGE_COLLECTIVES && row->bytes >= 0)
		snprintf(name, sizeof(name), "%s of %" PRId64 " bytes", row->name, row->bytes);
	else
		compare_rows_name(row, kind, name, sizeof(name));
	if (row->backward)
		columns_cell(table, "%s (backward)", text_cut(name, 35, &cut));
	else
		columns_cell(table, "%s", text_cut(name, 46, &cut));
}

static void put_row(const struct screen *screen, struct columns *table,
					const struct row_change *row, enum row_change_kind kind)
{
	struct text_buffer text;
	columns_ms(table, llround(row->base_ns));
	columns_ms(table, llround(row->run_ns));
	columns_cell(table, "%s%s", row_change_ns(row) > 0 ? "+" : "",
				 text_ms(screen, llround(row_change_ns(row)), &text));
	if (isnan(row->half_ns))
		columns_cell(table, "%s", "not known");
	else
		columns_cell(table, "+- %s", text_ms(screen, llround(row->half_ns), &text));
	name_cell(table, row, kind);
	columns_end(table, COLUMNS_PLAIN);
}

/* On more GPUs collectives are new, which is no news. */
static bool is_said(const struct comparison *c, size_t i, const struct row_change *row)
{
	if (!isnan(row->half_ns))
		return row->changed;
	const uint32_t base = c->runs[c->result->base].figures->devices;
	return c->changes[i].known && c->changes[i].loss.changed &&
		   c->runs[i].figures->devices == base &&
		   fabs(row_change_ns(row)) >= (double)c->runs[i].ideal_ns / UNKNOWN_SHARE;
}

static void put_kind(const struct screen *screen, const struct comparison *c, size_t i,
					 enum row_change_kind kind)
{
	static const char *const heads[CHANGE_KINDS] = {
		[CHANGE_KERNELS] = "kernel that changed",
		[CHANGE_LINES] = "GPU time by the line that launched it",
		[CHANGE_COLLECTIVES] = "collective, waits included"};
	const struct column columns[] = {
		{"before ms", 2, 10, COLUMN_RIGHT}, {"after ms", 2, 10, COLUMN_RIGHT},
		{"change", 2, 10, COLUMN_RIGHT},    {"noise", 2, 10, COLUMN_RIGHT},
		{heads[kind], 2, -12, COLUMN_LEFT},
	};
	const struct row_changes *rows = &c->rows[i][kind];
	struct columns table;
	size_t said = 0, left = 0;
	columns_open(&table, screen, columns, sizeof(columns) / sizeof(columns[0]));
	for (size_t k = 0; k < rows->n; k++) {
		if (!is_said(c, i, &rows->at[k]))
			continue;
		if (said == 0) {
			screen_line(screen, "%s", "");
			columns_heads(&table);
		}
		if (said < TEXT_ROWS)
			put_row(screen, &table, &rows->at[k], kind);
		left += said++ >= TEXT_ROWS;
	}
	if (left)
		screen_line(screen, "  and %zu more: --json and --html have them", left);
}

void compare_rows_text(const struct screen *screen, const struct comparison *c, size_t i)
{
	for (int kind = 0; kind < CHANGE_KINDS; kind++)
		put_kind(screen, c, i, (enum row_change_kind)kind);
}
