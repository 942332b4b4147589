#include "render/report_sheets.h"

#include "base/saturate.h"
#include "classify/classify.h"
#include "classify/demangle.h"
#include "conclude/copies.h"
#include "conclude/finding_text.h"
#include "conclude/time_tree.h"

static const char *text_of(const struct report *r, uint32_t text)
{
	return summary_text(&r->reduction->summary, text);
}

static struct cell percent(int64_t part, int64_t whole)
{
	return whole > 0 ? cell_milli(100 * (double)part / (double)whole) : cell_none();
}

static struct cell text_or_none(const char *text)
{
	return text && *text ? cell_text(text) : cell_none();
}

static void run_sheet(const struct report *r, struct sheets *sheets)
{
	static const char *const heads[] = {"run",     "gpus",      "gpu",           "world_size",
										"hosts",   "steps",     "steps_by",      "step_ns",
										"p50_ns",  "p95_ns",    "max_ns",        "kernels",
										"dropped", "in_flight", "missing_ranks", NULL};
	static const struct sheet_spec spec = {"run", "The run", heads};
	const struct summary *s = &r->reduction->summary;
	const struct figures *f = r->figures;
	const struct cell cells[] = {
		cell_text(r->dirs[0]),
		cell_number(f->devices),
		s->n_devices ? text_or_none(text_of(r, s->devices[0].name)) : cell_none(),
		s->run.world_size > 0 ? cell_number(s->run.world_size) : cell_none(),
		s->run.hosts > 0 ? cell_number(s->run.hosts) : cell_none(),
		cell_number(f->steps),
		cell_text(text_of(r, s->run.step_source)),
		cell_ns(f->step_ns),
		cell_ns(f->p50_ns),
		cell_ns(f->p95_ns),
		cell_ns(f->max_ns),
		cell_number(f->kernels),
		cell_number((int64_t)s->quality.dropped),
		cell_number((int64_t)s->quality.in_flight),
		cell_number(s->run.n_missing_ranks)};
	sheets_begin(sheets, &spec);
	sheets_row(sheets, cells);
	sheets_end(sheets);
}

static struct cell gain_cell(const struct finding *f, int64_t ns)
{
	return f->gain_known && !f->gain_unsized ? cell_ns(ns) : cell_none();
}

static void losses_sheet(const struct report *r, struct sheets *sheets)
{
	static const char *const heads[] = {"loss",     "leaf",    "severity",    "share_ns",
										"percent",  "gain_ns", "gain_low_ns", "gain_high_ns",
										"rank",     "device",  "cause",       "text",
										"evidence", "remedy",  NULL};
	static const struct sheet_spec spec = {"losses", "Losses of a step", heads};
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < r->findings->n; i++) {
		const struct finding *f = &r->findings->at[i];
		const struct device_summary *d =
			f->whom.device_known ? &r->reduction->summary.devices[f->whom.device] : NULL;
		const struct cell cells[] = {cell_text(finding_kinds[f->id].name),
									 text_or_none(f->leaf),
									 cell_text(severity_name(f->severity)),
									 cell_ns(f->share_ns),
									 percent(f->share_ns, r->figures->step_ns),
									 gain_cell(f, f->gain_ns),
									 gain_cell(f, f->gain_low_ns),
									 gain_cell(f, f->gain_high_ns),
									 cell_known(f->whom.rank),
									 d ? cell_text(text_of(r, d->key)) : cell_none(),
									 text_or_none(f->whom.cause),
									 cell_text(f->summary),
									 text_or_none(f->evidence),
									 text_or_none(f->remedy)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

static void time_sheet(const struct report *r, struct sheets *sheets)
{
	static const char *const heads[] = {"leaf", "name", "time_ns", "percent", NULL};
	static const struct sheet_spec spec = {"time", "Where a step goes, mean of all GPUs", heads};
	sheets_begin(sheets, &spec);
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		const int64_t ns = r->figures->time_ns[leaf];
		const struct cell cells[] = {cell_text(leaf_name((enum leaf)leaf)),
									 cell_text(time_label((enum leaf)leaf)), cell_ns(ns),
									 percent(ns, r->figures->step_ns)};
		const bool shown = ns != 0 || sheets->format != SHEET_MARKDOWN;
		if (shown && r->figures->carried & LEAF_BIT(leaf))
			sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

/* Of all devices together, as totals are. */
static int64_t all_windows(const struct summary *s)
{
	int64_t sum = 0;
	for (size_t i = 0; i < s->n_devices; i++)
		sum = saturate_add(sum, s->devices[i].window_ns);
	return sum;
}

static void kernels_sheet(const struct report *r, struct sheets *sheets)
{
	static const char *const heads[] = {"name",    "class",  "group",  "count",  "total_ns",
										"percent", "min_ns", "p50_ns", "max_ns", NULL};
	static const struct sheet_spec spec = {"kernels", "Kernels, sums over all steps and GPUs",
										   heads};
	const struct summary *s = &r->reduction->summary;
	const int64_t all_ns = all_windows(s);
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < s->n_kernels && (r->kernels == 0 || i < r->kernels); i++) {
		const struct kernel_summary *k = &s->kernels[i];
		char readable[4096];
		demangle(text_of(r, k->name), readable, sizeof(readable));
		const struct cell cells[] = {cell_text(readable),
									 cell_text(text_of(r, k->class_name)),
									 cell_text(group_name((enum group)k->group)),
									 cell_number((int64_t)k->count),
									 cell_ns(k->total_ns),
									 percent(k->total_ns, all_ns),
									 cell_ns(counts_min(&k->dur_ns)),
									 cell_ns(counts_percentile(&k->dur_ns, 50)),
									 cell_ns(counts_max(&k->dur_ns))};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

static void nccl_sheet(const struct report *r, struct sheets *sheets)
{
	static const char *const heads[] = {"op",         "comm",           "ranks",   "bytes",
										"count",      "transfer_ns",    "wait_ns", "unsplit_ns",
										"busbw_gbps", "unsplit_reason", NULL};
	static const struct sheet_spec spec = {"nccl", "NCCL, sums over all steps and GPUs", heads};
	const struct summary *s = &r->reduction->summary;
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < s->n_nccl; i++) {
		const struct nccl_summary *n = &s->nccl[i];
		const struct cell cells[] = {cell_text(text_of(r, n->op)),
									 text_or_none(text_of(r, n->comm)),
									 n->members ? cell_number(n->members) : cell_none(),
									 cell_known(n->bytes),
									 cell_number((int64_t)n->count),
									 cell_ns(n->transfer_ns),
									 cell_ns(n->wait_ns),
									 cell_ns(n->unsplit_ns),
									 cell_short(figures_busbw_gbps(s, n)),
									 text_or_none(text_of(r, n->reason))};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

static void copies_sheet(const struct report *r, struct sheets *sheets)
{
	static const char *const heads[] = {"device",   "direction", "pageable", "count",
										"total_ns", "bytes",     NULL};
	static const struct sheet_spec spec = {"copies", "Copies, sums over all steps", heads};
	const struct summary *s = &r->reduction->summary;
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < s->n_copies; i++) {
		const struct copy_summary *c = &s->copies[i];
		const struct cell cells[] = {cell_text(text_of(r, c->device)),
									 cell_text(copies_direction(c->direction)),
									 cell_yes(c->pageable),
									 cell_number((int64_t)c->count),
									 cell_ns(c->total_ns),
									 cell_number(c->bytes)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

static void devices_sheet(const struct report *r, struct sheets *sheets)
{
	static const char *const heads[] = {"device",  "rank",     "name",    "steps",   "step_ns",
										"p50_ns",  "p95_ns",   "max_ns",  "work_ns", "nccl_ns",
										"copy_ns", "cpu_ns",   "host_ns", "gpu_ns",  "unknown_ns",
										"kernels", "launches", NULL};
	static const struct sheet_spec spec = {"devices", "GPUs, means over their steps", heads};
	const struct summary *s = &r->reduction->summary;
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < s->n_devices; i++) {
		const struct device_summary *d = &s->devices[i];
		const int64_t steps = d->steps > 0 ? d->steps : 1;
		const struct cell cells[] = {cell_text(text_of(r, d->key)),
									 cell_known(d->n_processes ? d->ranks[0] : -1),
									 text_or_none(text_of(r, d->name)),
									 cell_number(d->steps),
									 cell_ns(d->window_ns / steps),
									 cell_ns(counts_percentile(&d->step_ns, 50)),
									 cell_ns(counts_percentile(&d->step_ns, 95)),
									 cell_ns(counts_max(&d->step_ns)),
									 cell_ns(figures_device_time(d, LEAVES_WORK)),
									 cell_ns(figures_device_time(d, LEAVES_NCCL)),
									 cell_ns(figures_device_time(d, LEAVES_COPY)),
									 cell_ns(figures_device_time(d, LEAVES_CPU)),
									 cell_ns(figures_device_time(d, LEAVES_HOST)),
									 cell_ns(figures_device_time(d, LEAVES_GPU)),
									 cell_ns(figures_device_time(d, LEAVES_UNKNOWN)),
									 cell_number(d->kernels),
									 cell_number(d->launches)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

static void by_sheet(const struct report *r, struct sheets *sheets)
{
	static const char *const heads[] = {
		"name",      "kind",           "backward",        "rows", "gpu_ns", "nccl_ns", "launches",
		"launch_ns", "starved_cpu_ns", "starved_host_ns", NULL};
	static const struct sheet_spec spec = {
		"by", "What launches cost by where they come from, sums over all steps and GPUs", heads};
	static const char *const kinds[SITE_KIND_END] = {[SITE_PROJECT] = "project",
													 [SITE_OTHER] = "other",
													 [SITE_UNKNOWN] = "unknown",
													 [SITE_REST] = "rest"};
	const struct by_table *by = r->by;
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < by->n && (r->by_top == 0 || i < r->by_top); i++) {
		const struct site_summary *site = &by->rows[i];
		const struct cell cells[] = {cell_text(text_of(r, site->what)),
									 cell_text(kinds[site->kind]),
									 cell_yes(site->backward),
									 site->kind == SITE_REST ? cell_number((int64_t)site->rows)
															 : cell_none(),
									 cell_ns(site_gpu_ns(&site->sums)),
									 cell_ns(site->sums.gpu_ns[GROUP_NCCL]),
									 cell_number((int64_t)site->sums.launches),
									 cell_ns(site->sums.launch_ns),
									 cell_ns(site->sums.cpu_ns),
									 cell_ns(site->sums.host_ns)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

static void gaps_sheet(const struct report *r, struct sheets *sheets)
{
	static const char *const heads[] = {"device",   "step",    "begin_ns",    "gap_ns", "leaf",
										"leaf_ns",  "next_op", "next_call",   "tid",    "doing",
										"doing_ns", "line",    "launch_line", NULL};
	static const struct sheet_spec spec = {
		"gaps", "The worst gaps; of each the leaf that has most of it", heads};
	sheets_begin(sheets, &spec);
	for (size_t i = 0; i < r->reduction->n_gaps; i++) {
		const struct gap_proof *g = &r->reduction->gaps[i];
		int most = 0;
		char readable[1024];
		for (int leaf = 1; leaf < LEAF_COUNT; leaf++)
			most = g->leaf_ns[leaf] > g->leaf_ns[most] ? leaf : most;
		demangle(g->next_op, readable, sizeof(readable));
		const struct cell cells[] = {cell_text(g->device),
									 cell_known(g->step_number < 0 ? g->step : g->step_number),
									 cell_ns(g->a_ns),
									 cell_ns(g->b_ns - g->a_ns),
									 cell_text(leaf_name((enum leaf)most)),
									 cell_ns(g->leaf_ns[most]),
									 cell_text(readable),
									 text_or_none(g->next_call),
									 g->next_call[0] ? cell_number(g->tid) : cell_none(),
									 text_or_none(g->doing),
									 g->doing[0] ? cell_ns(g->doing_ns) : cell_none(),
									 text_or_none(g->line),
									 text_or_none(g->launch_line)};
		sheets_row(sheets, cells);
	}
	sheets_end(sheets);
}

int report_sheets(const struct report *r, enum sheet_format format, FILE *out)
{
	struct sheets sheets;
	sheets_open(&sheets, out, format);
	if (r->by) {
		by_sheet(r, &sheets);
	} else if (r->gaps) {
		gaps_sheet(r, &sheets);
	} else {
		run_sheet(r, &sheets);
		losses_sheet(r, &sheets);
		time_sheet(r, &sheets);
		kernels_sheet(r, &sheets);
		nccl_sheet(r, &sheets);
		copies_sheet(r, &sheets);
		devices_sheet(r, &sheets);
	}
	return sheets.error;
}
