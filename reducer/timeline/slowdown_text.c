#include "timeline/slowdown_print.h"

#include "render/columns.h"
#include "render/text.h"

#include <math.h>
#include <string.h>

enum { ROWS_MOST = 5 };
static const double LITTLE = 1.005; /* less is no finding */
static const double TO_BLAME = 0.5; /* of the loss: more than all others together */
static const double SHOWN = 1.0005; /* a kind of operation that costs less has no row */

static const char *ms(const struct screen *screen, double ns, struct text_buffer *buffer)
{
	return text_ms(screen, llround(ns), buffer);
}

static uint32_t count_microbatches(const struct timeline *t)
{
	uint32_t n = 0;
	for (uint32_t op = 0; op < t->n_ops; op++) {
		const struct op_row *row = timeline_op(t, 0, 0, op);
		n += row->kind == OP_FORWARD && row->stage == 0 && row->chunk == 0;
	}
	return n;
}

static const char *plural(uint32_t n)
{
	return n == 1 ? "" : "s";
}

static void print_head(const struct screen *screen, const struct slowdown_printed *p)
{
	const struct timeline *t = p->timeline;
	const struct slowdown *s = p->slowdown;
	const uint32_t microbatches = count_microbatches(t);
	struct text_buffer measured, base;
	char more[32] = "";
	if (p->n_files > 1)
		snprintf(more, sizeof(more), " and %d more", p->n_files - 1);
	screen_title_wrap(screen, 4, "%s%s   %u worker%s: %u stage%s x %u data-parallel rank%s",
					  p->files[0], more, s->n_workers, plural(s->n_workers), t->n_stages,
					  plural(t->n_stages), t->n_dp, plural(t->n_dp));
	screen_wrap(screen, 4, "%u step%s, %u microbatch%s   step %s ms   replayed %s ms (%.1f %% %s)",
				t->n_steps, plural(t->n_steps), microbatches, microbatches == 1 ? "" : "es",
				ms(screen, s->measured_ns, &measured), ms(screen, s->base_ns, &base),
				fabs(1 - s->base_ns / s->measured_ns) * 100,
				s->base_ns <= s->measured_ns ? "less: without gaps on the CPU" : "more");
}

/* ---- who ---- */

static void name_slowest(const struct slowdown_printed *p, char *names, size_t bytes)
{
	const struct slowdown *s = p->slowdown;
	size_t at = (size_t)snprintf(names, bytes, "the slowest %u of %u workers, ", s->n_slowest,
								 s->n_workers);
	if (s->n_slowest == 1)
		at = (size_t)snprintf(names, bytes, "the slowest worker, ");
	for (uint32_t i = 0; i < s->n_slowest && i < ROWS_MOST && at < bytes; i++) {
		const struct slowdown_worker *w = &s->workers[i];
		at += (size_t)snprintf(names + at, bytes - at, "%srank %d (stage %u, dp_rank %u)",
							   i ? ", " : "", w->rank, w->stage, p->timeline->dp[w->dp]);
	}
	if (s->n_slowest > ROWS_MOST && at < bytes)
		snprintf(names + at, bytes - at, ", ...");
}

/* A part above 100 %: the others are faster than the mean of all. */
static void print_share(const struct screen *screen, const char *who, double share,
						double without_ns)
{
	struct text_buffer step;
	if (!isnan(share))
		screen_wrap(screen, 4,
					"  %5.1f %% of the loss: %s. With usual times there, a step takes %s ms",
					share * 100, who, ms(screen, without_ns, &step));
}

static void print_shares(const struct screen *screen, const struct slowdown_printed *p)
{
	const struct slowdown *s = p->slowdown;
	const double m_w = slowdown_of_workers(s), m_s = slowdown_of_last_stage(s);
	char workers[320], stage[64];
	name_slowest(p, workers, sizeof(workers) - 8);
	strcat(workers, " (M_W)");
	snprintf(stage, sizeof(stage), "the last stage, %u (M_S)", s->n_stages - 1);
	if (m_s > m_w)
		print_share(screen, stage, m_s, s->without_last_stage_ns);
	print_share(screen, workers, m_w, s->without_workers_ns);
	if (!(m_s > m_w))
		print_share(screen, stage, m_s, s->without_last_stage_ns);
}

static void print_remedy(const struct screen *screen, const struct slowdown *s)
{
	const double m_w = slowdown_of_workers(s), m_s = slowdown_of_last_stage(s);
	if (m_w >= TO_BLAME && !(m_s > m_w))
		screen_wrap(screen, 4,
					"  Try: look at the GPUs and hosts of the slowest workers, or "
					"replace them");
	else if (m_s >= TO_BLAME)
		screen_wrap(screen, 4,
					"  Try: give the last stage fewer layers (it also computes the loss)");
	else
		screen_wrap(screen, 4,
					"  Neither a few workers nor the last stage are to blame: look for "
					"what slows all in turns (sequences of uneven length, garbage "
					"collection)");
}

static void print_verdict(const struct screen *screen, const struct slowdown_printed *p)
{
	const struct slowdown *s = p->slowdown;
	const double total = slowdown_total(s);
	struct text_buffer base, ideal;
	if (total < LITTLE) {
		screen_title_wrap(screen, 4, "Stragglers cost next to nothing: S = %.3f", total);
		return;
	}
	screen_title_wrap(screen, 4,
					  "Why is this slow? Stragglers: a step takes %s instead of %s ms (S = %.3f)",
					  ms(screen, s->base_ns, &base), ms(screen, s->ideal_ns, &ideal), total);
	print_shares(screen, p);
	print_remedy(screen, s);
}

/* ---- tables ---- */

static void open_table(struct columns *columns, const struct screen *screen, const char *head)
{
	static struct column table[] = {
		{"", 2, 32, COLUMN_LEFT},
		{"S", 2, 8, COLUMN_RIGHT},
		{"ms/step", 2, 10, COLUMN_RIGHT},
	};
	table[0].head = head;
	screen_line(screen, "%s", "");
	columns_open(columns, screen, table, sizeof(table) / sizeof(table[0]));
	columns_heads(columns);
}

static void end_row(struct columns *columns, const struct slowdown *s, double slowdown)
{
	columns_cell(columns, "%.3f", slowdown);
	columns_cell(columns, "%+.*f", columns->screen->decimals, (slowdown - 1) * s->ideal_ns / 1e6);
	columns_end(columns, COLUMNS_PLAIN);
}

static void print_groups(const struct screen *screen, const struct slowdown *s)
{
	struct columns columns;
	open_table(&columns, screen, "operations");
	for (uint32_t i = 0; i < s->n_groups; i++) {
		if (s->groups[i].slowdown < SHOWN && i > 0)
			break;
		columns_cell(&columns, "%s", op_kinds[s->groups[i].index].group);
		end_row(&columns, s, s->groups[i].slowdown);
	}
}

static void print_stages(const struct screen *screen, const struct slowdown *s)
{
	struct columns columns;
	open_table(&columns, screen, "stages");
	for (uint32_t i = 0; i < s->n_stages && i < ROWS_MOST; i++) {
		columns_cell(&columns, "stage %u", s->stages[i].index);
		end_row(&columns, s, s->stages[i].slowdown);
	}
}

static void print_workers(const struct screen *screen, const struct slowdown_printed *p)
{
	const struct slowdown *s = p->slowdown;
	struct columns columns;
	open_table(&columns, screen, "workers");
	for (uint32_t i = 0; i < s->n_workers && i < ROWS_MOST; i++) {
		const struct slowdown_worker *w = &s->workers[i];
		columns_cell(&columns, "rank %d: stage %u, dp_rank %u", w->rank, w->stage,
					 p->timeline->dp[w->dp]);
		end_row(&columns, s, w->slowdown);
	}
}

void slowdown_print_text(const struct slowdown_printed *p)
{
	const struct slowdown *s = p->slowdown;
	struct screen screen;
	screen_open(&screen, stdout, llround(s->base_ns));
	print_head(&screen, p);
	screen_line(&screen, "%s", "");
	print_verdict(&screen, p);
	if (slowdown_total(s) < LITTLE)
		return;
	screen_line(&screen, "%s", "");
	screen_wrap(
		&screen, 0,
		"What each part costs alone (a step without stragglers in which only this part is as "
		"recorded):");
	print_groups(&screen, s);
	if (s->n_stages > 1)
		print_stages(&screen, s);
	if (s->n_workers > 1)
		print_workers(&screen, p);
}
