#include "base/amount.h"
#include "base/shell.h"
#include "render/readings.h"
#include "render/report.h"
#include "render/report_tables.h"
#include "render/columns.h"
#include "render/step_lines.h"
#include "conclude/finding_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TOP_LOSSES = 3, HANG = 2, UNSAMPLED_PERCENT = 10 };

static const char *const step_source_words[] = {[STEPS_NONE] = "none",
												[STEPS_MARKER] = "step markers",
												[STEPS_NVTX] = "--step-range",
												[STEPS_OPTIMIZER] = "optimizer steps",
												[STEPS_PERIODICITY] = "found by periodicity"};

static bool far_from(int64_t ns, int64_t mean_ns)
{
	return llabs(ns - mean_ns) > mean_ns / 10;
}

/* "step 96.3 ms   p95 97.1 ms", and more where the mean stands for no step. */
static const char *step_words(const struct screen *screen, const struct figures *f,
							  struct text_buffer *out)
{
	struct text_buffer mean, p50, p95, max;
	text_ms(screen, f->step_ns, &mean);
	text_ms(screen, f->p50_ns, &p50);
	text_ms(screen, f->p95_ns, &p95);
	text_ms(screen, f->max_ns, &max);
	bool far = far_from(f->p50_ns, f->step_ns) || far_from(f->p95_ns, f->step_ns) ||
			   far_from(f->max_ns, f->step_ns);
	if (far)
		snprintf(out->at, sizeof(out->at), "step %.24s ms (p50 %.24s, p95 %.24s, max %.24s)",
				 mean.at, p50.at, p95.at, max.at);
	else
		snprintf(out->at, sizeof(out->at), "step %.40s ms   p95 %.40s ms", mean.at, p95.at);
	return out->at;
}

static void header(const struct screen *screen, const struct report *r)
{
	const struct summary *s = &r->reduction->summary;
	const struct figures *f = r->figures;
	struct text_buffer a;
	const char *gpu =
		s->n_devices && s->devices[0].name ? summary_text(s, s->devices[0].name) : "GPU";
	double busy = text_percent(figures_time(f, LEAVES_WORK), f->step_ns);
	char hosts[32] = "hosts not named";
	if (s->run.hosts > 0)
		snprintf(hosts, sizeof(hosts), "%u host%s", s->run.hosts, s->run.hosts == 1 ? "" : "s");
	screen_title_wrap(screen, HANG, "%s   %u x %s, %s   computing %.1f %%", r->dirs[0], f->devices,
					  gpu, hosts, busy);
	if (f->has_steps)
		screen_title_wrap(screen, HANG, "%lld step%s (%s)   %s   %lld kernel%s per step",
						  (long long)f->steps, f->steps == 1 ? "" : "s",
						  step_source_words[f->step_source], step_words(screen, f, &a),
						  (long long)f->kernels, f->kernels == 1 ? "" : "s");
	else
		screen_title_wrap(
			screen, HANG,
			"no steps found: all figures are for the whole run of %s ms   %lld kernel%s",
			text_ms(screen, f->step_ns, &a), (long long)f->kernels, f->kernels == 1 ? "" : "s");
}

static void part_line(const struct screen *screen, const struct report *r)
{
	if (r->part)
		screen_title_wrap(screen, HANG,
						  "only %s: what waits for other ranks is as in the whole run", r->part);
}

static void missing_end(const struct screen *screen, const struct report *r)
{
	const struct quality *q = &r->reduction->summary.quality;
	struct text_buffer lost;
	if (!q->in_flight)
		return;
	screen_title_wrap(
		screen, 0,
		"The job ended before its last GPU records arrived: %s are missing (in flight), and the "
		"steps that they belong to are left out",
		text_thousands((int64_t)q->in_flight, &lost));
}

/* A recording of the last part of a job. */
static void missing_begin(const struct screen *screen, const struct report *r)
{
	const struct quality *q = &r->reduction->summary.quality;
	char kept[32], whole[32], launches[32];
	if (!q->before_ns)
		return;
	screen_title_wrap(
		screen, HANG, "recorded: the last %s of %s   %s launches before it were not kept",
		amount_duration(q->kept_ns, kept), amount_duration(q->kept_ns + q->before_ns, whole),
		amount_grouped(q->before_launches, launches));
}

/* A summary of stretches of time. */
static void added_up(const struct screen *screen, const struct report *r)
{
	const struct quality *q = &r->reduction->summary.quality;
	char whole[32], missing[32], n[32];
	if (!q->stretches || r->part) /* of a part the title says it */
		return;
	amount_duration(q->stretches_to_ns - q->stretches_from_ns, whole);
	amount_grouped(q->stretches, n);
	if (q->stretches_missing_ns)
		screen_title_wrap(screen, HANG, "added up: %s %s of time from %s; %s of it are missing", n,
						  q->stretches == 1 ? "stretch" : "stretches", whole,
						  amount_duration(q->stretches_missing_ns, missing));
	else
		screen_title_wrap(screen, HANG, "added up: %s %s of time, %s together", n,
						  q->stretches == 1 ? "stretch" : "stretches", whole);
}

/* One sentence: the largest loss that somebody can act on. Findings come first in the list. `listed`:
 * a list of the losses follows, so the sentence announces it. */
static void answer(const struct screen *screen, const struct report *r, bool listed)
{
	const struct figures *f = r->figures;
	const struct finding *first = r->findings->at;
	struct text_buffer ms, whole;
	double busy = text_percent(figures_time(f, LEAVES_WORK), f->step_ns);
	bool unknown = r->findings->n && first->id == FINDING_UNKNOWN && finding_counts(first);
	if (unknown)
		screen_title_wrap(screen, 0, "%s (%s of %s ms per %s)", first->summary,
						  text_ms(screen, first->share_ns, &ms),
						  text_ms(screen, f->step_ns, &whole), finding_per(f));
	else if (figures_lack_cpu(&r->reduction->summary) &&
			 100 * (__int128)figures_time(f, LEAVES_UNKNOWN) >= f->step_ns)
		screen_title_wrap(screen, 0,
						  "The trace has no launch records, so it cannot say why the GPU was idle");
	else if (r->findings->n && finding_counts(first))
		screen_title_wrap(screen, 0, "Why is this slow? %s (%s of %s ms per %s)", first->summary,
						  text_ms(screen, first->share_ns, &ms),
						  text_ms(screen, f->step_ns, &whole), finding_per(f));
	else if (r->findings->n && 10 * (__int128)first->share_ns >= f->step_ns)
		screen_title_wrap(
			screen, 0, "The largest losses lie in too few steps to be sure that they come again%s",
			listed ? ":" : "");
	else if (r->findings->n)
		screen_title_wrap(screen, 0, "No loss stands out: the GPU computes %.1f %% of the %s%s",
						  busy, finding_per(f), listed ? ". The largest losses:" : "");
	else
		screen_title_wrap(screen, 0, "Nothing is lost: the GPU computes %.1f %% of the %s", busy,
						  finding_per(f));
}

static bool is_of_launches(const struct finding *loss)
{
	return loss->id == FINDING_FRAMEWORK || loss->id == FINDING_LAUNCH;
}

/* Launches could be in CUDA graphs, and a replay can say what that wins; said once. */
static bool could_be_graphs(const struct report *r, const struct finding *loss)
{
	const struct finding *first = r->findings->at;
	while (first < loss && !is_of_launches(first))
		first++;
	return first == loss && is_of_launches(loss) && r->figures->has_steps &&
		   replay_knows(&r->reduction->summary);
}

/* The commands that show the gaps behind a loss, and what its cure would win, of all directories that
 * were named; none where there are no gaps to show. */
static void proof(const struct screen *screen, const struct report *r, const struct finding *loss)
{
	char dirs[2 * SHELL_WORD_BYTES] = "";
	size_t at = 0;
	if (r->reduction->no_events || !finding_counts(loss) || strncmp(loss->leaf, "idle", 4) != 0)
		return;
	for (size_t i = 0; i < r->n_dirs && at < sizeof(dirs); i++) {
		struct shell_word dir = shell_word(r->dirs[i]);
		at += (size_t)snprintf(dirs + at, sizeof(dirs) - at, "%s%s", i ? " " : "", dir.at);
	}
	if (at < sizeof(dirs))
		screen_command(screen, 4, "See where", "report %s --gaps 5 --leaf %s", dirs, loss->leaf);
	if (at < sizeof(dirs) && could_be_graphs(r, loss))
		screen_command(screen, 4, "See what CUDA graphs would win", "whatif %s --graphs", dirs);
}

/* The columns of losses; the unit of the second depends on the run. */
static struct columns losses_table(const struct screen *screen, const struct figures *f)
{
	static const struct column of_step[] = {{"", 2, 1, COLUMN_RIGHT},
											{"loss", 1, 12, COLUMN_LEFT},
											{"ms/step", 1, 9, COLUMN_RIGHT},
											{"%", 1, 5, COLUMN_RIGHT},
											{"", 3, 0, COLUMN_LEFT}};
	static const struct column of_run[] = {{"", 2, 1, COLUMN_RIGHT},
										   {"loss", 1, 12, COLUMN_LEFT},
										   {"ms/run", 1, 9, COLUMN_RIGHT},
										   {"%", 1, 5, COLUMN_RIGHT},
										   {"", 3, 0, COLUMN_LEFT}};
	struct columns table;
	columns_open(&table, screen, f->has_steps ? of_step : of_run,
				 sizeof(of_step) / sizeof(of_step[0]));
	return table;
}

static void loss_cells(struct columns *table, const struct figures *f, const struct finding *loss)
{
	columns_cell(table, "%s", finding_kinds[loss->id].name);
	columns_ms(table, loss->share_ns);
	columns_cell(table, "%.1f", text_percent(loss->share_ns, f->step_ns));
}

/* Beside those that are listed before it a loss may win less, or more, than by itself: then both are
 * said. */
static void say_alone(const struct screen *screen, const struct finding *loss, char *out,
					  size_t bytes)
{
	const bool inside =
		loss->gain_alone_ns >= loss->gain_low_ns && loss->gain_alone_ns <= loss->gain_high_ns;
	struct text_buffer alone;
	out[0] = '\0';
	if (loss->gain_alone_ns >= 0 && !inside)
		snprintf(out, bytes, " once the losses above are cured, %s ms by itself",
				 text_ms(screen, loss->gain_alone_ns, &alone));
}

/* What curing it wins, where the replay says it and that is something. */
static void gain_line(const struct screen *screen, const struct report *r,
					  const struct finding *loss)
{
	struct text_buffer gain;
	char alone[96];
	if (!loss->gain_known || loss->gain_unsized || !finding_counts(loss))
		return;
	say_alone(screen, loss, alone, sizeof(alone));
	if (strtod(text_ms(screen, loss->gain_high_ns, &gain), NULL) <= 0)
		screen_wrap(screen, 4, "    Curing it %swins nothing%s, %s", alone[0] ? "" : "alone ",
					alone, gain_reference_words(loss->reference));
	else
		screen_wrap(screen, 4, "    %s %s per %s%s, %s",
					loss->joint      ? "Curing both wins"
					: loss->others.n ? "Its part of what curing all wins is"
									 : "Curing it wins",
					text_gain(screen, loss->gain_ns, loss->gain_low_ns, loss->gain_high_ns, &gain),
					finding_per(r->figures), alone, gain_reference_words(loss->reference));
}

/* A long sentence stands below the line with its figures. */
static void loss_lines(struct columns *table, const struct report *r, size_t i)
{
	const struct screen *screen = table->screen;
	const struct finding *loss = &r->findings->at[i];
	const bool fits = columns_last(table) + (int)strlen(loss->summary) <= screen->width;
	columns_cell(table, "%zu", i + 1);
	loss_cells(table, r->figures, loss);
	columns_cell(table, "%s", fits ? loss->summary : "");
	columns_end(table, COLUMNS_BOLD);
	if (!fits)
		screen_paragraph(screen, 4, loss->summary);
	if (loss->evidence[0])
		screen_paragraph(screen, 4, loss->evidence);
	gain_line(screen, r, loss);
	if (loss->remedy[0])
		screen_wrap(screen, 4, "    Try: %s", loss->remedy);
	if (r->reduction->n_gaps == 0)
		proof(screen, r, loss);
}

/* The answer, first: the largest losses and what they mean. */
static void verdict(const struct screen *screen, const struct report *r)
{
	struct columns table = losses_table(screen, r->figures);
	screen_line(screen, "%s", "");
	answer(screen, r, true);
	if (r->findings->n)
		columns_heads(&table);
	for (size_t i = 0; i < r->findings->n && i < TOP_LOSSES; i++)
		loss_lines(&table, r, i);
}

/* Below 0.1 % of the step the partition says it all. */
static void other_losses(const struct screen *screen, const struct report *r)
{
	const struct figures *f = r->figures;
	const struct findings *all = r->findings;
	struct columns table = losses_table(screen, f);
	bool any = false;
	for (size_t i = TOP_LOSSES; i < all->n && 1000 * (__int128)all->at[i].share_ns >= f->step_ns;
		 i++) {
		if (!any) {
			screen_line(screen, "%s", "");
			screen_title(screen, "Further losses");
		}
		any = true;
		columns_cell(&table, "%s", "");
		loss_cells(&table, f, &all->at[i]);
		columns_cell(&table, "%s", all->at[i].summary);
		columns_end(&table, COLUMNS_WRAPPED);
	}
}

static void append(char *line, size_t bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void append(char *line, size_t bytes, const char *format, ...)
{
	size_t used = strlen(line);
	va_list args;
	va_start(args, format);
	vsnprintf(line + used, bytes - used, format, args);
	va_end(args);
}

/* The part of all idle time. */
static double unsampled_percent(const struct summary *s)
{
	__int128 idle = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
			idle += LEAVES_IDLE & LEAF_BIT(leaf) ? s->devices[i].time_ns[leaf] : 0;
	return idle > 0 ? 100.0 * (double)s->quality.unsampled_ns / (double)idle : 0;
}

static void append_clocks(char *line, size_t bytes, const struct quality *q)
{
	if (q->gpu_clocks_moved)
		append(line, bytes,
			   ", the GPU's clock of %llu process%s ran early (the import moved its times by up to "
			   "%.1f us)",
			   (unsigned long long)q->gpu_clocks_moved, q->gpu_clocks_moved == 1 ? "" : "es",
			   (double)q->gpu_clock_shift_ns / 1e3);
	if (q->gpu_clock_early_ns)
		append(line, bytes,
			   ", a GPU's clock runs early: work starts up to %.1f us before its launch",
			   (double)q->gpu_clock_early_ns / 1e3);
}

static void append_host_clocks(char *line, size_t bytes, const struct quality *q)
{
	if (q->clock_residual_ns >= 0)
		append(line, bytes, ", clock residual %.1f us", (double)q->clock_residual_ns / 1e3);
	if (q->clock_jumps)
		append(line, bytes, ", %lld jump%s of a host's clock", (long long)q->clock_jumps,
			   q->clock_jumps == 1 ? "" : "s");
	if (q->clocks_apart)
		append(line, bytes,
			   ", the clocks of %lld host%s cannot be aligned with the others' (no time here needs "
			   "that; a timeline does)",
			   (long long)q->clocks_apart, q->clocks_apart == 1 ? "" : "s");
}

/* The last paragraph: what the data lack. */
static void quality(const struct screen *screen, const struct report *r)
{
	const struct summary *s = &r->reduction->summary;
	const struct quality *q = &s->quality;
	struct text_buffer ops, dropped, unmatched;
	char line[800] = "";
	size_t bytes = sizeof(line);
	append(line, bytes, "Quality: %s GPU ops, %s dropped, %llu in flight, ",
		   text_thousands((int64_t)q->ops, &ops), text_thousands((int64_t)q->dropped, &dropped),
		   (unsigned long long)q->in_flight);
	append(line, bytes, "%s without launch record (%.2f %%), %llu invalid timestamps, ",
		   text_thousands((int64_t)q->unmatched_ops, &unmatched),
		   text_percent((int64_t)q->unmatched_ops, (int64_t)q->ops),
		   (unsigned long long)q->invalid_timestamps);
	append(line, bytes, "%llu events refused, %llu damaged files",
		   (unsigned long long)q->invalid_events,
		   (unsigned long long)(q->truncated_files + q->unreadable_files));
	if (figures_lack_cpu(s))
		append(line, bytes, ", no launch records");
	if (q->recorder_limited)
		append(line, bytes,
			   ", a limit left a recorder less than it wants (recorder.limited in the "
			   "trace says what is missing)");
	if (s->run.n_missing_ranks)
		append(line, bytes, ", %u of %d ranks missing", s->run.n_missing_ranks, s->run.world_size);
	if (unsampled_percent(s) > UNSAMPLED_PERCENT)
		append(line, bytes,
			   ", no stack samples in %.1f %% of the idle time (it counts as host code, but the "
			   "thread may have been blocked, waiting for input or without a core)",
			   unsampled_percent(s));
	if (q->steps_cut)
		append(line, bytes, ", %llu partial step%s left out", (unsigned long long)q->steps_cut,
			   q->steps_cut == 1 ? "" : "s");
	append(line, bytes, "%s", step_lines_outside(screen, r, &ops));
	append_clocks(line, bytes, q);
	if (r->figures->noise_ns > 0)
		append(line, bytes, ", step noise %.1f us", (double)r->figures->noise_ns / 1e3);
	append_host_clocks(line, bytes, q);
	if (q->tool_ns >= 0 && q->launches > 0)
		append(line, bytes,
			   ", baton's own time %llu ns per launch (%.2f %% of a %s; stacks and CUPTI are not "
			   "in it)",
			   (unsigned long long)q->tool_ns / q->launches,
			   text_percent(r->figures->tool_ns, r->figures->step_ns),
			   r->figures->has_steps ? "step" : "run");
	screen_line(screen, "%s", "");
	screen_paragraph(screen, 0, line);
}

void report_text(const struct report *r, FILE *out)
{
	struct screen screen;
	screen_open(&screen, out, r->figures->step_ns);
	header(&screen, r);
	part_line(&screen, r);
	missing_begin(&screen, r);
	added_up(&screen, r);
	step_lines(&screen, r);
	missing_end(&screen, r);
	verdict(&screen, r);
	partition_table(&screen, r);
	other_losses(&screen, r);
	kernels_table(&screen, r);
	nccl_table(&screen, r);
	devices_table(&screen, r);
	readings_text(&screen, r);
	quality(&screen, r);
}

void report_answer(const struct report *r, bool listed, FILE *out)
{
	struct screen screen;
	screen_open_wide(&screen, out, r->figures->step_ns);
	answer(&screen, r, listed);
}

void report_gain(const struct report *r, size_t finding, FILE *out)
{
	struct screen screen;
	screen_open_wide(&screen, out, r->figures->step_ns);
	gain_line(&screen, r, &r->findings->at[finding]);
}

void report_see(const struct report *r, size_t finding, FILE *out)
{
	struct screen screen;
	screen_open_wide(&screen, out, r->figures->step_ns);
	proof(&screen, r, &r->findings->at[finding]);
}
