/* The tables of `baton jitter` for spreadsheets and documents. */
#include "jitter/print.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t row_of(const struct jitter_shown *shown, uint32_t i)
{
	return shown->rows ? shown->rows[i] : i;
}

void jitter_ranks_sheet(const struct jitter_printed *p, const struct jitter_shown *shown,
						struct sheets *sheets)
{
	static const char *const heads[] = {
		"rank",      "device",      "host",          "steps",         "last",
		"behind_ns", "duration_ns", "gap_before_ns", "gap_inside_ns", "launch_to_start_ns",
		"places",    "p_late",      "p_early",       "p_last",        NULL};
	static const struct sheet_spec spec = {"ranks", "Ranks against the mean of the others, by step",
										   heads};
	_Static_assert(JITTER_CAUSES == 4, "a column for each cause");
	sheets_begin(sheets, &spec);
	for (uint32_t i = 0; i < shown->n; i++) {
		const uint32_t r = row_of(shown, i);
		const struct jitter_rank *rank = &p->study->ranks[r];
		const struct rank_row *row = &p->verdict->ranks[r];
		const struct cell cells[] = {cell_text(jitter_rank_label(p->study, r)),
									 cell_text(rank->key),
									 cell_text(rank->host),
									 cell_number(row->steps),
									 cell_number(row->last),
									 cell_mean_ns(row->behind_ns),
									 cell_mean_ns(row->part_ns[JITTER_DURATION]),
									 cell_mean_ns(row->part_ns[JITTER_GAP_BEFORE]),
									 cell_mean_ns(row->part_ns[JITTER_GAP_INSIDE]),
									 cell_mean_ns(row->part_ns[JITTER_LAUNCH]),
									 cell_milli(row->places),
									 cell_short(row->p_late),
									 cell_short(row->p_early),
									 cell_short(row->p_last)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

void jitter_steps_sheet(const struct jitter_printed *p, const struct jitter_shown *shown,
						struct sheets *sheets)
{
	static const char *const heads[] = {
		"step",   "ranks",   "min_rank",          "min_ns",           "max_rank",
		"max_ns", "mean_ns", "max_minus_mean_ns", "max_minus_min_ns", NULL};
	static const struct sheet_spec spec = {
		"steps", "The first and the last rank of each step, by the time to its last kernel", heads};
	sheets_begin(sheets, &spec);
	for (uint32_t i = 0; i < shown->n; i++) {
		const struct step_row *row = &p->verdict->steps[row_of(shown, i)];
		if (row->ranks == 0)
			continue;
		const struct cell cells[] = {cell_number(row->number),
									 cell_number(row->ranks),
									 cell_text(jitter_rank_label(p->study, row->least)),
									 cell_ns(row->least_ns),
									 cell_text(jitter_rank_label(p->study, row->most)),
									 cell_ns(row->most_ns),
									 cell_mean_ns(row->mean_ns),
									 cell_mean_ns((double)row->most_ns - row->mean_ns),
									 cell_ns(row->most_ns - row->least_ns)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

void jitter_kernels_sheet(const struct jitter_printed *p, uint32_t most, struct sheets *sheets)
{
	static const char *const heads[] = {
		"kernel",    "first_position", "positions",    "duration_ns",   "duration_sd_ns",
		"gap_sd_ns", "steps_sd_ns",    "longest_rank", "longest_by_ns", NULL};
	static const struct sheet_spec spec = {
		"kernels", "Kernels that differ most from rank to rank: standard deviations by step",
		heads};
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < p->verdict->n_kernels && i < most; i++) {
		const struct kernel_row *row = &p->verdict->kernels[i];
		const struct cell cells[] = {
			cell_text(strings_get(&p->study->reference.names, row->name).at),
			cell_number(row->first),
			cell_number(row->positions),
			cell_mean_ns(row->duration_ns),
			cell_mean_ns(row->duration_sd_ns),
			cell_mean_ns(row->gap_sd_ns),
			cell_mean_ns(row->steps_sd_ns),
			cell_text(jitter_rank_label(p->study, row->most)),
			cell_mean_ns(row->most_ns)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

int jitter_varying_sheet(const struct jitter_printed *p, uint32_t most, struct sheets *sheets)
{
	static const char *const heads[] = {"position",       "kernel", "stream",    "duration_ns",
										"duration_sd_ns", "gap_ns", "gap_sd_ns", NULL};
	static const struct sheet_spec spec = {
		"varying", "Kernels of one rank that vary most over its steps", heads};
	const struct reference *reference = &p->study->reference;
	struct vary_row *rows = malloc(((size_t)reference->n + 1) * sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	jitter_vary(p->study, p->rank, rows);
	sheets_begin(sheets, &spec);
	for (uint32_t i = 0; i < reference->n && i < most; i++) {
		const struct cell cells[] = {
			cell_number(rows[i].position),
			cell_text(strings_get(&reference->names, reference->at[rows[i].position].name).at),
			cell_text(jitter_class_name(reference->at[rows[i].position].class)),
			cell_mean_ns(rows[i].duration_ns),
			cell_mean_ns(rows[i].duration_sd_ns),
			cell_mean_ns(rows[i].gap_ns),
			cell_mean_ns(rows[i].gap_sd_ns)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
	free(rows);
	return 0;
}

int jitter_sheets(const struct jitter_printed *p, enum sheet_format format, FILE *out)
{
	struct sheets sheets;
	struct jitter_shown shown;
	sheets_open(&sheets, out, format);
	if (p->rank < p->study->n_ranks) {
		const int error = jitter_varying_sheet(p, p->rows, &sheets);
		return error ? error : sheets.error;
	}
	uint32_t *ranks = NULL, *steps = NULL;
	shown.n = p->rows;
	shown.rows = ranks = jitter_choose_ranks(p, &shown.n);
	if (ranks)
		jitter_ranks_sheet(p, &shown, &sheets);
	shown.n = p->rows;
	shown.rows = steps = jitter_choose_steps(p, &shown.n);
	if (steps)
		jitter_steps_sheet(p, &shown, &sheets);
	jitter_kernels_sheet(p, p->rows, &sheets);
	sheets.error = ranks && steps ? sheets.error : -ENOMEM;
	free(ranks);
	free(steps);
	return sheets.error;
}
