#include "jitter/print.h"

#include "jitter/words.h"
#include "render/columns.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { HANG = 2, ALL_RANKS = 16 };

static void header(const struct screen *screen, const struct jitter_printed *p)
{
	const struct jitter_study *s = p->study;
	struct text_buffer ms;
	screen_title_wrap(
		screen, HANG, "%s   %u rank%s   %u step%s%s   step %s ms   %u kernel%s per step", p->dir,
		s->n_ranks, s->n_ranks == 1 ? "" : "s", s->axis.n, s->axis.n == 1 ? "" : "s",
		s->by_period ? " (found by periodicity)" : "", text_ms(screen, llround(s->step_ns), &ms),
		s->reference.n, s->reference.n == 1 ? "" : "s");
}

static void verdict(const struct screen *screen, const struct jitter_printed *p)
{
	struct jitter_words text;
	screen_line(screen, "%s", "");
	jitter_verdict_words(p, screen, &text);
	screen_title_wrap(screen, HANG, "Which rank is late? %s", text.at);
	for (size_t i = 1; i < p->verdict->n_odd && i < p->rows; i++) {
		jitter_odd_words(p, screen, &p->verdict->odd[i], &text);
		screen_wrap(screen, 4, "  %s", text.at);
	}
}

static void percent(double share, struct text_buffer *out)
{
	if (isnan(share))
		snprintf(out->at, sizeof(out->at), "-");
	else
		snprintf(out->at, sizeof(out->at), "%lld %%", llround(100 * share)); /* no "-0" */
}

static void shares(const struct screen *screen, const struct jitter_printed *p)
{
	const struct jitter_verdict *v = p->verdict;
	struct text_buffer a, b, c, d, ms;
	screen_line(screen, "%s", "");
	screen_wrap(screen, HANG,
				"Jitter: %s ms, the standard deviation of the time to the last kernel over the "
				"ranks of a step",
				text_ms(screen, llround(v->jitter_ns), &ms));
	percent(v->cause_share[JITTER_DURATION], &a);
	percent(v->cause_share[JITTER_GAP_BEFORE], &b);
	percent(v->cause_share[JITTER_GAP_INSIDE], &c);
	percent(v->cause_share[JITTER_LAUNCH], &d);
	screen_wrap(screen, HANG,
				"  by cause   kernels %s, gap before the step %s, gaps inside it %s, launch to "
				"start %s",
				a.at, b.at, c.at, d.at);
	percent(v->place_share[SHARE_HOST], &a);
	percent(v->place_share[SHARE_RANK], &b);
	percent(v->place_share[SHARE_STEP], &c);
	screen_wrap(screen, HANG, "  by place   hosts %s, ranks of a host %s, single steps %s", a.at,
				b.at, c.at);
}

static int rank_table(const struct screen *screen, const struct jitter_printed *p)
{
	static const struct column columns[] = {
		{"rank", 2, 12, COLUMN_LEFT},           {"late ms", 1, 9, COLUMN_RIGHT},
		{"kernels", 1, 9, COLUMN_RIGHT},        {"before", 1, 9, COLUMN_RIGHT},
		{"inside", 1, 9, COLUMN_RIGHT},         {"start", 1, 9, COLUMN_RIGHT},
		{"last in steps", 1, 13, COLUMN_RIGHT}, {"z", 1, 7, COLUMN_RIGHT}};
	const struct jitter_study *s = p->study;
	struct columns table;
	if (s->n_ranks < 2)
		return 0;
	uint32_t n = s->n_ranks <= ALL_RANKS ? s->n_ranks : p->rows;
	uint32_t *shown = jitter_choose_ranks(p, &n);
	if (!shown)
		return -ENOMEM;
	screen_line(screen, "%s", "");
	screen_wrap(
		screen, HANG,
		"Ranks against the mean of the others, ms per step, and what makes the difference%s",
		n < s->n_ranks ? " (those that differ most)" : "");
	columns_open(&table, screen, columns, sizeof(columns) / sizeof(columns[0]));
	columns_heads(&table);
	for (uint32_t i = 0; i < n; i++) {
		const struct rank_row *row = &p->verdict->ranks[shown[i]];
		columns_cell(&table, "%s", jitter_rank_label(s, shown[i]));
		columns_ms(&table, llround(row->behind_ns));
		for (int c = 0; c < JITTER_CAUSES; c++)
			columns_ms(&table, llround(row->part_ns[c]));
		columns_cell(&table, "%u of %u", row->last, row->steps);
		columns_cell(&table, "%.1f", row->places);
		columns_end(&table, COLUMNS_PLAIN);
	}
	free(shown);
	return 0;
}

static int step_table(const struct screen *screen, const struct jitter_printed *p)
{
	static const struct column columns[] = {{"step", 2, 10, COLUMN_LEFT},
											{"first", 1, 8, COLUMN_RIGHT},
											{"ms early", 1, 10, COLUMN_RIGHT},
											{"last", 1, 8, COLUMN_RIGHT},
											{"ms late", 1, 10, COLUMN_RIGHT}};
	const struct jitter_study *s = p->study;
	struct columns table;
	if (s->n_ranks < 2)
		return 0;
	uint32_t n = p->rows, *shown = jitter_choose_steps(p, &n);
	if (!shown)
		return -ENOMEM;
	screen_line(screen, "%s", "");
	screen_wrap(screen, HANG,
				"Steps with the largest difference: first and last rank, against the "
				"mean of all");
	columns_open(&table, screen, columns, sizeof(columns) / sizeof(columns[0]));
	columns_heads(&table);
	for (uint32_t i = 0; i < n; i++) {
		const struct step_row *row = &p->verdict->steps[shown[i]];
		columns_cell(&table, "%lld", (long long)row->number);
		columns_cell(&table, "%s", jitter_rank_label(s, row->least));
		columns_ms(&table, llround(row->mean_ns - (double)row->least_ns));
		columns_cell(&table, "%s", jitter_rank_label(s, row->most));
		columns_ms(&table, llround((double)row->most_ns - row->mean_ns));
		columns_end(&table, COLUMNS_PLAIN);
	}
	free(shown);
	return 0;
}

static void micro(struct columns *table, double ns)
{
	if (isnan(ns))
		columns_cell(table, "-");
	else
		columns_cell(table, "%.1f", ns / 1000);
}

static void kernel_table(const struct screen *screen, const struct jitter_printed *p)
{
	static const struct column columns[] = {
		{"us/step", 2, 10, COLUMN_RIGHT}, {"kernels", 1, 8, COLUMN_RIGHT},
		{"gaps", 1, 8, COLUMN_RIGHT},     {"over steps", 1, 10, COLUMN_RIGHT},
		{"longest", 1, 8, COLUMN_RIGHT},  {"by us", 1, 9, COLUMN_RIGHT},
		{"kernel", 2, 0, COLUMN_LEFT}};
	const struct jitter_study *s = p->study;
	struct columns table;
	if (s->n_ranks < 2)
		return;
	screen_line(screen, "%s", "");
	screen_wrap(screen, HANG,
				"Kernels that differ most from rank to rank: standard deviations in us "
				"per step, and the rank with the longest");
	columns_open(&table, screen, columns, sizeof(columns) / sizeof(columns[0]));
	columns_heads(&table);
	for (size_t i = 0; i < p->verdict->n_kernels && i < p->rows; i++) {
		const struct kernel_row *row = &p->verdict->kernels[i];
		micro(&table, row->duration_ns);
		micro(&table, row->duration_sd_ns);
		micro(&table, row->gap_sd_ns);
		micro(&table, row->steps_sd_ns);
		columns_cell(&table, "%s", jitter_rank_label(s, row->most));
		micro(&table, row->most_ns);
		columns_cell(&table, "%s", strings_get(&s->reference.names, row->name).at);
		columns_end(&table, COLUMNS_PLAIN);
	}
}

static int vary_table(const struct screen *screen, const struct jitter_printed *p)
{
	static const struct column columns[] = {
		{"position", 2, 8, COLUMN_RIGHT},  {"us", 1, 9, COLUMN_RIGHT},
		{"deviation", 1, 9, COLUMN_RIGHT}, {"gap us", 1, 9, COLUMN_RIGHT},
		{"deviation", 1, 9, COLUMN_RIGHT}, {"kernel", 2, 0, COLUMN_LEFT}};
	const struct jitter_study *s = p->study;
	struct vary_row *rows = malloc(((size_t)s->reference.n + 1) * sizeof(*rows));
	struct columns table;
	if (!rows)
		return -ENOMEM;
	jitter_vary(s, p->rank, rows);
	screen_line(screen, "%s", "");
	screen_wrap(screen, HANG, "Kernels of rank %s that vary most over its %u steps",
				jitter_rank_label(s, p->rank), s->ranks[p->rank].steps);
	columns_open(&table, screen, columns, sizeof(columns) / sizeof(columns[0]));
	columns_heads(&table);
	for (uint32_t i = 0; i < s->reference.n && i < p->rows; i++) {
		const struct vary_row *row = &rows[i];
		columns_cell(&table, "%u", row->position);
		micro(&table, row->duration_ns);
		micro(&table, row->duration_sd_ns);
		micro(&table, row->gap_ns);
		micro(&table, row->gap_sd_ns);
		columns_cell(&table, "%s",
					 strings_get(&s->reference.names, s->reference.at[row->position].name).at);
		columns_end(&table, COLUMNS_PLAIN);
	}
	free(rows);
	return 0;
}

static void notes(const struct screen *screen, const struct jitter_printed *p)
{
	struct jitter_words text;
	for (unsigned i = 0, said = 0; i < JITTER_NOTES; i++) {
		if (!jitter_note(p->study, i, &text))
			continue;
		if (said++ == 0)
			screen_line(screen, "%s", "");
		screen_wrap(screen, HANG, "%s", text.at);
	}
}

int jitter_text(const struct jitter_printed *p, FILE *out)
{
	struct screen screen;
	int error = 0;
	screen_open(&screen, out, llround(p->study->step_ns));
	header(&screen, p);
	verdict(&screen, p);
	if (p->rank < p->study->n_ranks) {
		error = vary_table(&screen, p);
	} else {
		shares(&screen, p);
		error = rank_table(&screen, p);
		if (!error)
			error = step_table(&screen, p);
		kernel_table(&screen, p);
	}
	notes(&screen, p);
	return error;
}
