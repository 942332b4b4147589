#include "base/sort.h"
#include "render/compare.h"
#include "render/compare_charged.h"
#include "render/compare_rows.h"
#include "render/columns.h"
#include "render/compare_said.h"
#include "conclude/copies.h"
#include "conclude/clocks.h"
#include "summary/evidence_rows.h"
#include "conclude/finding_text.h"
#include "conclude/findings.h"
#include "conclude/time_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAR_TERMS = 8, WHY_COLUMNS = 37 /* what a line of the bridge leaves of 100 */ };

static const char *per(const struct comparison *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->runs[i].figures->has_steps)
			return "run";
	return "step";
}

/* Runs that did other work have no say. */
static bool same_size(const struct comparison *c)
{
	const uint32_t devices = c->runs[c->result->base].figures->devices;
	for (size_t i = 0; i < c->n; i++)
		if (!c->runs[i].aside && c->runs[i].figures->devices != devices)
			return false;
	return true;
}

/* A side that is several runs. */
static void say_repeats(const struct screen *screen, const struct comparison *c, size_t i)
{
	const struct side *side = c->sides[i].side;
	int64_t least = INT64_MAX, most = 0;
	struct text_buffer a, b;
	for (size_t k = 0; k < side->n; k++) {
		least = side->each[k].step_ns < least ? side->each[k].step_ns : least;
		most = side->each[k].step_ns > most ? side->each[k].step_ns : most;
	}
	if (side->n > 1)
		screen_wrap(screen, 2, "%s is the mean of %zu runs: %.30s to %.30s ms per %s",
					i == c->result->base ? "The base" : c->names[i], side->n,
					text_ms(screen, least, &a), text_ms(screen, most, &b), per(c));
}

/* How the runs are compared that did the base's work. */
static void say_scaling(const struct screen *screen, const struct comparison *c)
{
	const char *name = c->result->scaling == SCALING_STRONG ? "strong" : "weak";
	const uint32_t devices = c->runs[c->result->base].figures->devices;
	double difference = 100 * c->result->work_difference;
	if (same_size(c))
		screen_title_wrap(
			screen, 2,
			"%u GPU%s each: a direct comparison (matmul and custom work differ by %.1f %%)",
			devices, devices == 1 ? "" : "s", difference);
	else if (c->result->sure)
		screen_title_wrap(screen, 2, "%s scaling (%s is equal within %.1f %%)", name,
						  c->result->scaling == SCALING_STRONG ? "total work" : "work per GPU",
						  difference);
	else
		screen_title_wrap(
			screen, 2,
			"compared as weak scaling, but work per GPU differs by %.1f %% (--scaling changes it)",
			difference);
}

static void heading(const struct screen *screen, const struct comparison *c)
{
	const size_t others = compare_count_other(c);
	if (c->part)
		screen_title_wrap(screen, 2, "only %s of each run%s", c->part,
						  c->lacks_ranks ? ": waits are not charged to late ranks" : "");
	if (others > 0)
		screen_title_wrap(screen, 2, "%s did other work than the base, so %s no speed-up",
						  others == 1 ? "One run" : "Some runs",
						  others == 1 ? "it has" : "they have");
	if (others + 1 < c->n)
		say_scaling(screen, c);
	for (size_t i = 0; i < c->n; i++)
		if (figures_lack_cpu(c->summaries[i]))
			screen_wrap(screen, 2,
						"%s has no launch records, so it cannot say why its GPUs were idle",
						c->names[i]);
	if (strcmp(per(c), "run") == 0 && compare_count_other(c) == 0)
		screen_line(screen, "Not every run has steps, so whole runs are compared");
	for (size_t i = 0; i < c->n; i++)
		say_repeats(screen, c, i);
}

/* Empty where there is none. */
static void ratio_cell(struct columns *table, int times, const char *unit, double value)
{
	if (isfinite(value))
		columns_cell(table, "%.*f%s", times == 1 ? 2 : 1, times * value, unit);
	else
		columns_cell(table, "%s", "");
}

static void runs_table(const struct screen *screen, const struct comparison *c)
{
	char step[16], steps[16], lost[24];
	const struct column columns[] = {
		{"GPUs", 2, 4, COLUMN_RIGHT},        {step, 2, 10, COLUMN_RIGHT},
		{steps, 2, 7, COLUMN_RIGHT},         {"speed-up", 2, 8, COLUMN_RIGHT},
		{"efficiency", 2, 10, COLUMN_RIGHT}, {lost, 2, 16, COLUMN_RIGHT},
		{"run", 2, -12, COLUMN_LEFT},
	};
	bool superlinear = false;
	struct columns table;
	snprintf(step, sizeof(step), "%s ms", per(c));
	snprintf(steps, sizeof(steps), "%ss/s", per(c));
	snprintf(lost, sizeof(lost), "lost ms per %s", per(c));
	columns_open(&table, screen, columns, sizeof(columns) / sizeof(columns[0]));
	screen_line(screen, "%s", "");
	columns_heads(&table);
	for (size_t i = 0; i < c->n; i++) {
		const struct scaling_run *run = &c->runs[i];
		const int64_t step_ns = run->figures->step_ns;
		struct text_buffer name;
		columns_cell(&table, "%u", run->figures->devices);
		columns_ms(&table, step_ns);
		columns_cell(&table, "%.2f", step_ns > 0 ? 1e9 / (double)step_ns : 0);
		ratio_cell(&table, 1, "", run->speed_up);
		ratio_cell(&table, 100, " %", run->efficiency);
		if (i == c->result->base || c->work[i].other)
			columns_cell(&table, "%s", "");
		else
			columns_ms(&table, run->loss_ns);
		columns_cell(&table, "%s", text_cut(c->names[i], 36, &name));
		columns_end(&table, COLUMNS_PLAIN);
		superlinear = superlinear || run->efficiency > 1;
	}
	if (superlinear && !same_size(c))
		screen_wrap(
			screen, 2,
			"  An efficiency above 100 %% means a %s shorter than the base's ideal: look below "
			"for the terms that shrank (work per GPU, or a loss of the base)",
			per(c));
}

struct term {
	enum leaf leaf;
	int64_t ns;
};

static int by_size(const void *a, const void *b)
{
	const struct term *x = a, *y = b;
	int64_t xs = llabs(x->ns), ys = llabs(y->ns);
	if (xs != ys)
		return xs > ys ? -1 : 1;
	return x->leaf < y->leaf ? -1 : x->leaf > y->leaf;
}

static int64_t row_ns(const struct figures *f, const struct evidence_row *row)
{
	const int64_t steps = f->steps * f->devices;
	return row && steps > 0 ? row->ns / steps : 0;
}

struct evidence_change { /* of one row of evidence between the runs */
	const struct evidence_row *row;
	int64_t before_ns, after_ns;
};

/* The row of `rows` whose time changed most against the other run; rows are sorted by time. */
static void largest_change(const struct evidence_rows *rows, const struct figures *f,
						   const struct evidence_rows *others, const struct figures *other_f,
						   bool other_is_base, struct evidence_change *most)
{
	for (size_t i = 0; i < rows->n && i < 20; i++) {
		int64_t here = row_ns(f, &rows->at[i]);
		int64_t there = row_ns(other_f, evidence_rows_find(others, &rows->at[i]));
		if (most->row && llabs(here - there) <= llabs(most->after_ns - most->before_ns))
			continue;
		*most = (struct evidence_change){&rows->at[i], other_is_base ? there : here,
										 other_is_base ? here : there};
	}
}

/* "enumerate(DataLoader) 58.4 -> 1.1" */
static void explain_rows(const struct screen *screen, const struct comparison *c, size_t i,
						 enum leaf leaf, char *out, size_t bytes)
{
	const size_t b = c->result->base;
	const struct figures *base = c->runs[b].figures, *run = c->runs[i].figures;
	struct evidence_rows before = {0}, after = {0};
	struct evidence_change most = {0};
	struct text_buffer x, y, cut;
	char name[256];
	if (evidence_rows_open(&before, c->summaries[b], LEAF_BIT(leaf), 0) == 0 &&
		evidence_rows_open(&after, c->summaries[i], LEAF_BIT(leaf), 0) == 0) {
		largest_change(&before, base, &after, run, false, &most);
		largest_change(&after, run, &before, base, true, &most);
	}
	text_ms(screen, most.before_ns, &x);
	text_ms(screen, most.after_ns, &y);
	if (most.row)
		snprintf(out, bytes, "%s %s -> %s",
				 text_cut(evidence_row_name(most.row, name, sizeof(name)),
						  (size_t)WHY_COLUMNS - 5 - strlen(x.at) - strlen(y.at), &cut),
				 x.at, y.at);
	evidence_rows_close(&before);
	evidence_rows_close(&after);
}

/* Of the collective with most transfer in either run: how fast it was in both. */
static void explain_transfer(const struct summary *base, const struct summary *run, char *out,
							 size_t bytes)
{
	const struct nccl_summary *most = NULL, *same = NULL;
	for (size_t i = 0; i < run->n_nccl; i++)
		if (!most || run->nccl[i].transfer_ns > most->transfer_ns)
			most = &run->nccl[i];
	if (!most || isnan(figures_busbw_gbps(run, most)))
		return;
	const char *op = summary_text(run, most->op);
	for (size_t i = 0; i < base->n_nccl; i++)
		if (base->nccl[i].bytes == most->bytes && !base->nccl[i].reason &&
			strcmp(summary_text(base, base->nccl[i].op), op) == 0)
			same = &base->nccl[i];
	double before = same ? figures_busbw_gbps(base, same) : NAN;
	if (isnan(before))
		snprintf(out, bytes, "%.20s busbw %.1f GB/s", op, figures_busbw_gbps(run, most));
	else
		snprintf(out, bytes, "%.20s busbw %.1f -> %.1f GB/s", op, before,
				 figures_busbw_gbps(run, most));
}

/* Of the way with most copies in the run: how much is copied in a step in both, or how fast where
 * it is as much. */
static void explain_copies(const struct comparison *c, size_t i, char *out, size_t bytes)
{
	const struct figures *f[2] = {c->runs[c->result->base].figures, c->runs[i].figures};
	const struct summary *s[2] = {c->summaries[c->result->base], c->summaries[i]};
	struct copies_way ways[2][COPIES_WAYS];
	size_t n[2], same = 0;
	double mb[2] = {0};
	for (int k = 0; k < 2; k++)
		n[k] = copies_by_way(s[k], 0, ways[k]);
	while (same < n[0] && n[1] && strcmp(ways[0][same].words, ways[1][0].words) != 0)
		same++;
	if (n[1] == 0 || same == n[0])
		return;
	const struct copies_way *way[2] = {&ways[0][same], &ways[1][0]};
	for (int k = 0; k < 2 && f[k]->steps > 0 && f[k]->devices > 0; k++)
		mb[k] = (double)way[k]->bytes / 1e6 / (double)f[k]->steps / f[k]->devices;
	if (way[0]->sized_ns == 0 || way[1]->sized_ns == 0)
		return;
	if (fabs(mb[1] - mb[0]) > mb[0] / 50)
		snprintf(out, bytes, "%s %.1f -> %.1f MB", way[1]->words, mb[0], mb[1]);
	else
		snprintf(out, bytes, "%s %.1f -> %.1f GB/s", way[1]->words,
				 (double)way[0]->bytes / (double)way[0]->sized_ns,
				 (double)way[1]->bytes / (double)way[1]->sized_ns);
}

static void explain_wait(const struct summary *run, const struct figures *f, char *out,
						 size_t bytes)
{
	struct stragglers late;
	size_t first = 0;
	int error = stragglers_open(&late, run, f);
	while (first < late.n && late.at[first].partial) /* of NCCL that is not split */
		first++;
	const struct straggler *s = first < late.n ? &late.at[first] : NULL;
	if (!error && s && s->late && s->persistent)
		snprintf(out, bytes, "%.30s late%s%.20s", finding_straggler(run, s).at,
				 s->excess[0].kind ? ": " : "", s->excess[0].kind ? s->excess[0].kind->name : "");
	stragglers_close(&late);
}

/* What changed most behind a leaf. */
static void explain(const struct screen *screen, const struct comparison *c, size_t i,
					enum leaf leaf, char *out, size_t bytes)
{
	const size_t b = c->result->base;
	const struct figures *base = c->runs[b].figures, *run = c->runs[i].figures;
	out[0] = 0;
	if (leaf == LEAF_NCCL_TRANSFER)
		explain_transfer(c->summaries[b], c->summaries[i], out, bytes);
	else if (leaf == LEAF_NCCL_WAIT && c->charged[i].run.n == 0)
		explain_wait(c->summaries[i], run, out, bytes);
	else if (leaf == LEAF_COPY_EXPOSED)
		explain_copies(c, i, out, bytes);
	else
		explain_rows(screen, c, i, leaf, out, bytes);
	if (!out[0] && leaf <= LEAF_WORK_MEMORY && base->kernels != run->kernels)
		snprintf(out, bytes, "%lld -> %lld kernels per %s", (long long)base->kernels,
				 (long long)run->kernels, per(c));
}

/* Kernels that take longer at a lower clock, or less at a higher one. */
static bool clock_may_explain(const struct clocks_change *change, const struct term *term)
{
	return LEAF_BIT(term->leaf) & LEAVES_WORK &&
		   (change->after < change->before ? term->ns > 0 : term->ns < 0);
}

static void say_clock(const struct screen *screen, const struct clocks_change *change)
{
	const bool lower = change->after < change->before;
	const double low = (double)(lower ? change->after : change->before);
	const double high = (double)(lower ? change->before : change->after);
	struct text_buffer a, b;
	char by[100] = "";
	if (change->kind != READING_SLOWED)
		snprintf(by, sizeof(by), " (%s in %.0f %% of samples, before %.0f %%)",
				 reading_reason(change->kind), (double)change->after_ppm / 1e4,
				 (double)change->before_ppm / 1e4);
	screen_wrap(screen, 6,
				"    GPU clocks: %.24s -> %.24s MHz%s; at that clock kernels take up to %.0f %% %s",
				text_thousands(change->before, &a), text_thousands(change->after, &b), by,
				lower ? 100 * (high / low - 1) : 100 * (1 - low / high), lower ? "longer" : "less");
}

static const char *with_sign(const struct screen *screen, int64_t ns, struct text_buffer *buffer)
{
	struct text_buffer plain;
	snprintf(buffer->at, sizeof(buffer->at), "%s%.100s", ns > 0 ? "+" : "",
			 text_ms(screen, ns, &plain));
	return buffer->at;
}

/* "+- 0.12" */
static const char *noise_of(const struct screen *screen, const struct change_range *range,
							struct text_buffer *buffer)
{
	struct text_buffer plain;
	snprintf(buffer->at, sizeof(buffer->at), "+- %.100s",
			 text_ms(screen, change_half_ns(range), &plain));
	return buffer->at;
}

/* What to say of a step that did not change. */
static const char *unchanged(const struct comparison *c, const struct change_range *loss)
{
	const bool noise = loss->low_ns <= 0 && loss->high_ns >= 0;
	if (same_size(c) || loss->high_ns < 0)
		return noise ? "No difference beyond noise" : "A difference of less than 0.5 %";
	return noise ? "Nothing lost beyond noise" : "Less than 0.5 % lost";
}

/* The sum of some terms as they were before waits were charged. */
static int64_t measured(const struct scaling_run *run, uint64_t leaves)
{
	int64_t sum = 0;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		sum += leaves & LEAF_BIT(leaf) ? run->terms_ns[leaf] : 0;
	return sum;
}

/* The largest terms, each with what is behind it; largest first. */
static void term_lines(const struct screen *screen, const struct comparison *c, size_t i,
					   const struct term terms[LEAF_COUNT])
{
	static const struct column columns[] = {
		{"", 2, 18, COLUMN_LEFT}, {"", 1, 10, COLUMN_RIGHT}, {"", 1, 11, COLUMN_LEFT},
		{"", 2, 16, COLUMN_LEFT}, {"", 2, -24, COLUMN_LEFT},
	};
	static const struct column without_noise[] = {
		{"", 2, 18, COLUMN_LEFT},
		{"", 1, 10, COLUMN_RIGHT},
		{"", 2, 16, COLUMN_LEFT},
		{"", 2, -24, COLUMN_LEFT},
	};
	const struct change *change = &c->changes[i];
	const int64_t largest = llabs(terms[0].ns);
	int64_t others = 0;
	uint64_t other_leaves = 0;
	struct change_range range;
	struct text_buffer a, b;
	struct clocks_change clocks;
	struct columns table;
	bool clock = clocks_changed(c->summaries[c->result->base], c->summaries[i], &clocks);
	columns_open(&table, screen, change->known ? columns : without_noise, change->known ? 5 : 4);
	for (int t = 0; t < LEAF_COUNT; t++) {
		const int64_t size = llabs(terms[t].ns);
		char why[160];
		if (t >= BAR_TERMS || size * 100 < largest) {
			others += terms[t].ns;
			other_leaves |= LEAF_BIT(terms[t].leaf);
			continue;
		}
		explain(screen, c, i, terms[t].leaf, why, sizeof(why));
		columns_cell(&table, "%s", time_label(terms[t].leaf));
		columns_cell(&table, "%s", with_sign(screen, terms[t].ns, &a));
		if (change->known)
			columns_cell(&table, "%s", noise_of(screen, &c->charged[i].ranges[terms[t].leaf], &b));
		columns_cell(&table, "%s",
					 text_bar(largest > 0 ? 4.0 * (double)size / (double)largest / 15 : 0, &b));
		columns_cell(&table, "%s", why);
		columns_end(&table, COLUMNS_PLAIN);
		compare_waits(screen, c, i, terms[t].leaf);
		if (clock && clock_may_explain(&clocks, &terms[t])) {
			say_clock(screen, &clocks);
			clock = false; /* once, at the largest */
		}
	}
	columns_cell(&table, "other terms");
	columns_cell(&table, "%s", with_sign(screen, others, &a));
	if (change->known && others == measured(&c->runs[i], other_leaves) &&
		change_of_leaves(&c->sides[i], other_leaves, others, &range) == 0)
		columns_cell(&table, "%s", noise_of(screen, &range, &b));
	columns_end(&table, COLUMNS_PLAIN);
	if (clock)
		say_clock(screen, &clocks);
}

static void say_change(const struct screen *screen, const struct comparison *c, size_t i,
					   const struct headline *first)
{
	const struct scaling_run *run = &c->runs[i];
	const struct change *change = &c->changes[i];
	struct text_buffer a, b, d;
	char same[120] = "";
	const bool ideal = run->ideal_ns != c->runs[c->result->base].figures->step_ns;
	if (change->known && !change->loss.changed)
		snprintf(same, sizeof(same), "%s: %.30s %.30s ms per %s", unchanged(c, &change->loss),
				 with_sign(screen, run->loss_ns, &a), noise_of(screen, &change->loss, &b), per(c));
	if (first->leaves)
		screen_title_wrap(screen, 2, "%s%s%s changed%s: %s%s -> %s ms per %s (%s)%s", same,
						  same[0] ? "; but " : "", compare_subject(c, i, first).at,
						  same[0] ? "" : " most", ideal ? "ideal " : "",
						  text_ms(screen, first->before_ns, &a),
						  text_ms(screen, first->after_ns, &b), per(c),
						  with_sign(screen, first->term_ns, &d), compare_rest(c, i, first));
	else if (same[0])
		screen_title_wrap(screen, 2, "%s", same);
	else if (change->known)
		screen_title_wrap(screen, 2, "The step changed, but no term of it by more than noise");
}

/* Above the terms. */
static void terms_title(const struct screen *screen, const struct comparison *c, size_t i)
{
	const struct scaling_run *run = &c->runs[i];
	struct text_buffer a, name;
	text_cut(c->names[i], 40, &name);
	text_ms(screen, llabs(run->loss_ns), &a);
	if (c->changes[i].known && !c->changes[i].loss.changed)
		screen_line(screen, "%s against %s", name.at, same_size(c) ? "the base" : "ideal");
	else if (run->loss_ns == 0)
		screen_line(screen, "%s takes as long as %s", name.at, same_size(c) ? "the base" : "ideal");
	else if (run->loss_ns < 0)
		screen_title_wrap(screen, 2, "Where %s saves %s ms against %s", name.at, a.at,
						  same_size(c) ? "the base" : "ideal");
	else
		screen_title_wrap(screen, 2, "Where the %s ms lost by %s went", a.at, name.at);
}

static void bridge(const struct screen *screen, const struct comparison *c, size_t i)
{
	const struct scaling_run *run = &c->runs[i];
	struct term terms[LEAF_COUNT];
	struct headline first;
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		terms[leaf] = (struct term){(enum leaf)leaf, c->charged[i].terms_ns[leaf]};
	sort_rows(terms, LEAF_COUNT, sizeof(*terms), by_size);
	screen_line(screen, "%s", "");
	if (c->work[i].other) {
		compare_other_work(screen, c, i);
		return;
	}
	compare_headline(c, i, &first);
	say_change(screen, c, i, &first);
	terms_title(screen, c, i);
	term_lines(screen, c, i, terms);
	compare_slower(screen, c, i);
	screen_line(screen, "  %-18s %10lld ns%s", "residual", (long long)run->residual_ns,
				run->residual_ns == 0 ? "  (the terms add up exactly)" : "");
	compare_rows_text(screen, c, i);
}

void compare_text(const struct comparison *c, FILE *out)
{
	struct screen screen;
	screen_open(&screen, out, c->runs[c->result->base].figures->step_ns);
	if (!same_size(c))
		compare_scales(&screen, c);
	heading(&screen, c);
	runs_table(&screen, c);
	for (size_t i = 0; i < c->n; i++)
		if (i != c->result->base)
			bridge(&screen, c, i);
	compare_confidence(&screen, c);
}

void compare_sentences(const struct comparison *c, FILE *out)
{
	struct screen screen;
	screen_open_wide(&screen, out, c->runs[c->result->base].figures->step_ns);
	if (!same_size(c))
		compare_scales(&screen, c);
	heading(&screen, c);
}

void compare_run_sentences(const struct comparison *c, size_t i, FILE *out)
{
	struct screen screen;
	struct headline first;
	screen_open_wide(&screen, out, c->runs[c->result->base].figures->step_ns);
	if (c->work[i].other) {
		compare_other_work(&screen, c, i);
		return;
	}
	compare_headline(c, i, &first);
	say_change(&screen, c, i, &first);
	if (!first.leaves && !c->changes[i].known) /* then that says nothing */
		terms_title(&screen, c, i);
	compare_slower(&screen, c, i);
}
