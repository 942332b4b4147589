#include "base/shell.h"
#include "classify/classify.h"
#include "classify/demangle.h"
#include "render/devices_text.h"
#include "render/quality_text.h"
#include "render/readings.h"
#include "render/report.h"
#include "render/text.h"
#include "conclude/finding_text.h"
#include "conclude/time_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TOP_LOSSES = 3, HANG = 2, NOTE_COLUMN = 42 };

static const char *step_source_words(const char *source)
{
	static const char *const words[][2] = {{"marker", "step markers"},
										   {"nvtx", "--step-range"},
										   {"optimizer", "optimizer steps"},
										   {"periodicity", "found by periodicity"}};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(source, words[i][0]) == 0)
			return words[i][1];
	return source;
}

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
		screen_title_wrap(screen, HANG, "%lld steps (%s)   %s   %lld kernels a step",
						  (long long)f->steps,
						  step_source_words(summary_text(s, s->run.step_source)),
						  step_words(screen, f, &a), (long long)f->kernels);
	else
		screen_title_wrap(screen, HANG,
						  "no steps: figures are for the whole run of %s ms   %lld kernels",
						  text_ms(screen, f->step_ns, &a), (long long)f->kernels);
}

static void missing_end(const struct screen *screen, const struct report *r)
{
	const struct quality *q = &r->reduction->summary.quality;
	struct text_buffer lost;
	if (!q->in_flight)
		return;
	screen_title_wrap(
		screen, 0,
		"The job ended before its last GPU records came: %s are missing (in flight); steps not "
		"finished before them are cut",
		text_thousands((int64_t)q->in_flight, &lost));
}

/* One sentence: the largest loss that somebody can act on. Findings come first in the list. */
static void answer(const struct screen *screen, const struct report *r)
{
	const struct figures *f = r->figures;
	const struct finding *first = r->findings->at;
	struct text_buffer ms, whole;
	double busy = text_percent(figures_time(f, LEAVES_WORK), f->step_ns);
	bool unknown = r->findings->n && first->id == FINDING_UNEXPLAINED;
	if (findings_lack_cpu(&r->reduction->summary))
		screen_title_wrap(
			screen, 0,
			"The trace ties no CPU activity to the GPU's: why the GPU was idle cannot be told "
			"from it");
	else if (r->findings->n && finding_counts(first))
		screen_title_wrap(screen, 0, "Why is this slow? %s (%s of %s ms a %s)", first->summary,
						  text_ms(screen, first->share_ns, &ms),
						  text_ms(screen, f->step_ns, &whole), finding_per(f));
	else if (unknown && 10 * first->share_ns >= f->step_ns)
		screen_title_wrap(screen, 0, "The trace does not explain most of the loss:");
	else if (r->findings->n && 10 * first->share_ns >= f->step_ns)
		screen_title_wrap(screen, 0,
						  "Steps differ by %s ms, too much to be sure of a loss. The largest:",
						  text_ms(screen, f->noise_ns, &ms));
	else if (r->findings->n)
		screen_title_wrap(
			screen, 0, "No loss stands out: the GPU computes %.1f %% of the %s. The largest:", busy,
			finding_per(f));
	else
		screen_title_wrap(screen, 0, "Nothing is lost: the GPU computes %.1f %% of the %s", busy,
						  finding_per(f));
}

/* The command that shows the gaps behind a loss, of all directories that were named. */
static void proof(const struct screen *screen, const struct report *r, const char *leaf)
{
	char dirs[2 * SHELL_WORD_BYTES] = "";
	size_t at = 0;
	for (size_t i = 0; i < r->n_dirs && at < sizeof(dirs); i++) {
		struct shell_word dir = shell_word(r->dirs[i]);
		at += (size_t)snprintf(dirs + at, sizeof(dirs) - at, "%s%s", i ? " " : "", dir.at);
	}
	if (at < sizeof(dirs))
		screen_wrap(screen, 6, "    Proof: baton report %s --gaps 5 --leaf %s", dirs, leaf);
}

/* A long sentence stands below the line with its figures. */
static void loss_lines(const struct screen *screen, const struct report *r, size_t i)
{
	const struct figures *f = r->figures;
	const struct finding *loss = &r->findings->at[i];
	struct text_buffer ms, line;
	int n = snprintf(line.at, sizeof(line.at), "  %zu %-12s %9s ms/%s %5.1f %%", i + 1,
					 finding_kinds[loss->id].name, text_ms(screen, loss->share_ns, &ms),
					 finding_per(f), text_percent(loss->share_ns, f->step_ns));
	bool fits = n + 3 + (int)strlen(loss->summary) <= screen->width;
	screen_title(screen, "%s   %s", line.at, fits ? loss->summary : "");
	if (!fits)
		screen_paragraph(screen, 4, loss->summary);
	if (loss->evidence[0])
		screen_paragraph(screen, 4, loss->evidence);
	if (loss->remedy[0])
		screen_wrap(screen, 4, "    Try: %s", loss->remedy);
	if (i == 0 && finding_counts(loss) && r->reduction->n_gaps == 0 &&
		strncmp(loss->leaf, "idle", 4) == 0)
		proof(screen, r, loss->leaf);
}

/* The answer, first: the largest losses and what they mean. */
static void verdict(const struct screen *screen, const struct report *r)
{
	screen_line(screen, "%s", "");
	answer(screen, r);
	for (size_t i = 0; i < r->findings->n && i < TOP_LOSSES; i++)
		loss_lines(screen, r, i);
}

/* "attention 14.1, pointwise 9.0": the largest classes of a group, plain durations per step. */
static void largest_classes(const struct screen *screen, const struct report *r, const char *prefix,
							char *out, size_t bytes)
{
	const struct summary *s = &r->reduction->summary;
	const char *names[64];
	int64_t sums[64];
	size_t n = 0, used = 0;
	int64_t steps = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		steps += s->devices[i].steps > 0 ? s->devices[i].steps : 1;
	for (size_t i = 0; i < s->n_kernels; i++) {
		const char *class = summary_text(s, s->kernels[i].class_name);
		size_t k = 0;
		if (strncmp(class, prefix, strlen(prefix)) != 0)
			continue;
		while (k < n && strcmp(names[k], class) != 0)
			k++;
		if (k == n && n < 64) {
			names[n] = class;
			sums[n++] = 0;
		}
		if (k < 64)
			sums[k] += s->kernels[i].total_ns;
	}
	out[0] = 0;
	for (int shown = 0; shown < 3; shown++) {
		size_t best = n;
		struct text_buffer ms;
		for (size_t k = 0; k < n; k++)
			if (sums[k] > 0 && (best == n || sums[k] > sums[best]))
				best = k;
		if (best == n || steps == 0)
			break;
		int w = snprintf(out + used, bytes - used, "%s%s %s", shown ? ", " : "",
						 names[best] + strlen(prefix), text_ms(screen, sums[best] / steps, &ms));
		used += w > 0 && (size_t)w < bytes - used ? (size_t)w : 0;
		sums[best] = 0;
	}
}

/* Wait and transfer only of what was split: a zero would be a claim. */
static void nccl_note(const struct screen *screen, const struct report *r, char *note, size_t bytes)
{
	const struct figures *f = r->figures;
	const int64_t wait = f->time_ns[LEAF_NCCL_WAIT], transfer = f->time_ns[LEAF_NCCL_TRANSFER];
	const int64_t unsplit = f->time_ns[LEAF_NCCL_UNSPLIT];
	struct text_buffer a, b, c;
	text_ms(screen, f->hidden_ns, &c);
	if (unsplit > 0 && wait == 0 && transfer == 0)
		snprintf(note, bytes, "not split: %s; %s hidden",
				 finding_unsplit_reason(&r->reduction->summary), c.at);
	else
		snprintf(note, bytes, "wait %s, transfer %s; %s hidden", text_ms(screen, wait, &a),
				 text_ms(screen, transfer, &b), c.at);
	if (unsplit > 0 && wait + transfer > 0) {
		size_t used = strlen(note);
		snprintf(note + used, bytes - used, "; not split %s: %s", text_ms(screen, unsplit, &a),
				 finding_unsplit_reason(&r->reduction->summary));
	}
}

static void row_note(const struct screen *screen, const struct report *r, enum time_row_id row,
					 char *note, size_t bytes)
{
	note[0] = 0;
	if (row == TIME_WORK_CUSTOM)
		largest_classes(screen, r, "custom.", note, bytes);
	if (row == TIME_WORK_MEMORY)
		largest_classes(screen, r, "memory.", note, bytes);
	if (row == TIME_NCCL)
		nccl_note(screen, r, note, bytes);
}

static void partition(const struct screen *screen, const struct report *r)
{
	const struct figures *f = r->figures;
	screen_line(screen, "%s", "");
	screen_title(screen, "Where a %s goes, ms, mean of %u GPU%s", finding_per(f), f->devices,
				 f->devices == 1 ? "" : "s");
	for (int i = 0; i < TIME_ROWS; i++) {
		const struct time_row *row = &time_tree[i];
		int64_t ns = figures_time(f, row->leaves);
		char note[200];
		struct text_buffer ms, bar;
		if (ns == 0 || row->level == TIME_PART)
			continue;
		double share = text_percent(ns, f->step_ns);
		row_note(screen, r, (enum time_row_id)i, note, sizeof(note));
		if (row->level == TIME_HEAD)
			screen_title(screen, "  %-20s %9s %5.1f %%  %s", row->label, text_ms(screen, ns, &ms),
						 share, text_bar(share / 100, &bar));
		else
			screen_wrap(screen, NOTE_COLUMN, "    %-18s %9s %5.1f    %s", row->label,
						text_ms(screen, ns, &ms), share, note);
	}
	struct text_buffer ms;
	screen_line(screen, "  %-20s %9s 100.0 %%", "sum", text_ms(screen, f->step_ns, &ms));
}

/* Below 0.1 % of the step the partition says it all. */
static void other_losses(const struct screen *screen, const struct report *r)
{
	const struct figures *f = r->figures;
	const struct findings *all = r->findings;
	bool any = false;
	for (size_t i = TOP_LOSSES; i < all->n && all->at[i].share_ns * 1000 >= f->step_ns; i++) {
		const struct finding *loss = &all->at[i];
		struct text_buffer ms, line;
		if (!any) {
			screen_line(screen, "%s", "");
			screen_title(screen, "Further losses");
		}
		any = true;
		int column = snprintf(line.at, sizeof(line.at), "  %-12s %9s ms/%s %5.1f %%  ",
							  finding_kinds[loss->id].name, text_ms(screen, loss->share_ns, &ms),
							  finding_per(f), text_percent(loss->share_ns, f->step_ns));
		screen_wrap(screen, column, "%s%s", line.at, loss->summary);
	}
}

/* "void f<...>(...)" -> "f<...>(...)" */
static const char *without_return_type(const char *name)
{
	return strncmp(name, "void ", 5) == 0 ? name + 5 : name;
}

static void kernels(const struct screen *screen, const struct report *r)
{
	const struct summary *s = &r->reduction->summary;
	const struct figures *f = r->figures;
	int64_t steps = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		steps += s->devices[i].steps > 0 ? s->devices[i].steps : 1;
	if (s->n_kernels == 0 || steps == 0)
		return;
	int name_room = screen->width > 80 ? screen->width - 56 : 24; /* then columns drop off */
	screen_line(screen, "%s", "");
	screen_title(screen, "%-*s %-18s %10s %9s %5s %8s", name_room, "Kernels", "class",
				 f->has_steps ? "calls/step" : "calls", f->has_steps ? "ms/step" : "ms", "%",
				 "p50 us");
	for (size_t i = 0; i < s->n_kernels && (r->kernels == 0 || i < r->kernels); i++) {
		const struct kernel_summary *k = &s->kernels[i];
		struct text_buffer name, ms;
		char readable[1024];
		demangle(summary_text(s, k->name), readable, sizeof(readable));
		screen_line(screen, "%-*s %-18s %10.1f %9s %5.1f %8.1f", name_room,
					text_cut(without_return_type(readable), (size_t)name_room, &name),
					summary_text(s, k->class_name), (double)k->count / (double)steps,
					text_ms(screen, k->total_ns / steps, &ms),
					text_percent(k->total_ns / steps, f->step_ns),
					(double)counts_percentile(&k->dur_ns, 50) / 1e3);
	}
}

static void nccl(const struct screen *screen, const struct report *r)
{
	const struct summary *s = &r->reduction->summary;
	if (s->n_nccl == 0)
		return;
	screen_line(screen, "%s", "");
	screen_title(screen, "%-15s %5s %14s %6s %9s %9s %9s  %s", "NCCL, ms", "ranks", "bytes",
				 "calls", "transfer", "wait", "unsplit", "busbw, or why unsplit");
	for (size_t i = 0; i < s->n_nccl && i < 10; i++) {
		const struct nccl_summary *n = &s->nccl[i];
		struct text_buffer bytes, transfer, wait, unsplit;
		char bandwidth[32] = "", ranks[16] = "?";
		double busbw = figures_busbw_gbps(s, n);
		if (!isnan(busbw))
			snprintf(bandwidth, sizeof(bandwidth), "%.1f GB/s", busbw);
		if (n->members)
			snprintf(ranks, sizeof(ranks), "%u", n->members);
		screen_line(screen, "%-15s %5s %14s %6llu %9s %9s %9s  %s", summary_text(s, n->op), ranks,
					n->bytes < 0 ? "?" : text_thousands(n->bytes, &bytes),
					(unsigned long long)n->count, text_ms(screen, n->transfer_ns, &transfer),
					text_ms(screen, n->wait_ns, &wait), text_ms(screen, n->unsplit_ns, &unsplit),
					n->reason ? summary_text(s, n->reason) : bandwidth);
	}
	if (s->n_nccl > 10)
		screen_line(screen, "  and %zu more kinds (--json has all)", s->n_nccl - 10);
}

void report_text(const struct report *r, FILE *out)
{
	struct screen screen;
	screen_open(&screen, out, r->figures->step_ns);
	header(&screen, r);
	missing_end(&screen, r);
	verdict(&screen, r);
	partition(&screen, r);
	other_losses(&screen, r);
	kernels(&screen, r);
	nccl(&screen, r);
	devices_text(&screen, &r->reduction->summary, finding_per(r->figures));
	readings_text(&screen, r);
	quality_text(&screen, r);
}
