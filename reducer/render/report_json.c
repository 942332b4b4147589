#include "classify/classify.h"
#include "classify/demangle.h"
#include "conclude/copies.h"
#include "render/by.h"
#include "render/readings.h"
#include "render/report.h"
#include "conclude/rare.h"
#include "conclude/step_trust.h"
#include "summary/row_kinds.h"

#include <string.h>

_Static_assert((int)GROUP_COUNT == (int)SUMMARY_GROUPS,
			   "summaries hold one number per kernel group");

/* The fields of a row that stand in one part of its object. */
static void row_fields(struct json *j, const struct summary *s, enum baton_summary_type type,
					   const void *row, unsigned part)
{
	const struct record_kind *kind = record_kind(type);
	for (unsigned i = 0; i < kind->n_fields; i++) {
		const struct field *field = &kind->fields[i];
		const char *key = field->json ? field->json : field->name;
		int64_t value = field_get(field, row, 0);
		if (field->json_part != part)
			continue;
		if (field->holds == HOLDS_TEXT)
			json_text(j, key, summary_text(s, (uint32_t)value));
		else if (field->least == -1)
			json_known(j, key, value);
		else
			json_number(j, key, value);
	}
}

/* Another way to find steps than that of step_source, which was tried too. */
static void other_way(struct json *j, const struct step_trust *trust)
{
	if (trust->other.way == WAY_NONE) {
		json_null(j, "step_other_way");
		return;
	}
	json_object(j, "step_other_way");
	json_text(j, "source", step_trust_way(trust->other.way));
	json_bool(j, "covers_too_little", trust->other.first);
	json_number(j, "steps",
				(int64_t)(trust->other.devices ? trust->other.steps / trust->other.devices : 0));
	json_ratio(j, "confidence", trust->other.confidence);
	json_ratio(j, "kernels_inside", trust->other.inside);
	json_end_object(j);
}

/* Where threads train by themselves: whose steps a device has. */
static void steps_thread(struct json *j, const struct summary *s, const struct steps_summary *row)
{
	if (!row || !row->loops) {
		json_null(j, "steps_thread");
		return;
	}
	json_object(j, "steps_thread");
	json_text(j, "name", summary_text(s, row->thread));
	json_number(j, "threads", row->loops);
	json_number(j, "threads_here", row->loops_here);
	json_number(j, "steps_beside", row->beside);
	json_end_object(j);
}

static void run_object(struct json *j, const struct report *report)
{
	const struct summary *s = &report->reduction->summary;
	struct step_trust trust;
	json_object(j, "run");
	json_array(j, "dirs");
	for (size_t i = 0; i < report->n_dirs; i++)
		json_text(j, NULL, report->dirs[i]);
	json_end_array(j);
	if (report->part)
		json_text(j, "part", report->part);
	else
		json_null(j, "part");
	json_number(j, "world_size", s->run.world_size > 0 ? s->run.world_size : (int64_t)s->n_devices);
	json_known(j, "hosts", s->run.hosts > 0 ? (int64_t)s->run.hosts : -1);
	json_number(j, "steps", report->figures->steps);
	json_text(j, "step_source", summary_text(s, s->run.step_source));
	step_trust_compute(s, &trust);
	json_ratio(j, "step_confidence", trust.confidence);
	json_ratio(j, "step_ops_inside", trust.inside);
	json_known(j, "generation", trust.generations > 1 ? (int64_t)trust.generation : -1);
	json_number(j, "generations", trust.generations > 1 ? (int64_t)trust.generations : 1);
	if (trust.unit[0])
		json_text(j, "step_unit", trust.unit);
	else
		json_null(j, "step_unit");
	other_way(j, &trust);
	json_text(j, "mode", summary_text(s, s->run.mode));
	json_text(j, "source", summary_text(s, s->run.source));
	json_end_object(j);
}

/* leaf -> the devices that cannot carry it */
static void not_carried_object(struct json *j, const struct summary *s)
{
	json_object(j, "not_carried");
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++) {
		bool any = false;
		for (size_t i = 0; i < s->n_devices; i++) {
			if (s->devices[i].carried & LEAF_BIT(leaf))
				continue;
			if (!any)
				json_array(j, leaf_name((enum leaf)leaf));
			any = true;
			json_text(j, NULL, summary_text(s, s->devices[i].key));
		}
		if (any)
			json_end_array(j);
	}
	json_end_object(j);
}

static void quality_object(struct json *j, const struct report *report)
{
	const struct summary *s = &report->reduction->summary;
	const struct quality *q = &s->quality;
	json_object(j, "quality");
	row_fields(j, s, BATON_S_QUALITY, q, 1);
	json_array(j, "missing_ranks");
	for (uint32_t i = 0; i < s->run.n_missing_ranks; i++)
		json_number(j, NULL, s->run.missing_ranks[i]);
	json_end_array(j);
	not_carried_object(j, s);
	row_fields(j, s, BATON_S_QUALITY, q, 2);
	row_fields(j, s, BATON_S_QUALITY, q, 3);
	json_number(j, "step_noise_ns", report->figures->noise_ns);
	row_fields(j, s, BATON_S_QUALITY, q, 4);
	row_fields(j, s, BATON_S_QUALITY, q, 5);
	row_fields(j, s, BATON_S_QUALITY, q, 6);
	row_fields(j, s, BATON_S_QUALITY, q, 7);
	const int64_t launches = (int64_t)(q->launches + q->before_launches);
	if (q->tool_ns >= 0 && launches > 0)
		json_number(j, "tool_ns_per_launch", q->tool_ns / launches);
	else
		json_null(j, "tool_ns_per_launch");
	json_end_object(j);
}

static void step_object(struct json *j, const struct device_summary *d)
{
	json_object(j, "step_ns");
	json_number(j, "mean", d->steps > 0 ? d->window_ns / d->steps : 0);
	json_number(j, "p50", counts_percentile(&d->step_ns, 50));
	json_number(j, "p95", counts_percentile(&d->step_ns, 95));
	json_number(j, "max", counts_max(&d->step_ns));
	json_end_object(j);
}

/* Of each idle or NCCL leaf: how many steps have some of it, and which has most. */
static void leaf_steps_object(struct json *j, const struct summary *s,
							  const struct device_summary *d)
{
	size_t i, to = spreads_of(s, d->key, &i);
	json_object(j, "leaf_steps");
	while (i < to) {
		const uint32_t leaf = s->spreads[i].leaf;
		struct spread sum = {0};
		for (; i < to && s->spreads[i].leaf == leaf; i++)
			spread_add(&sum, &s->spreads[i]);
		json_object(j, leaf_name((enum leaf)leaf));
		json_number(j, "in", (int64_t)sum.steps);
		json_number(j, "worst", sum.worst_step);
		json_number(j, "worst_ns", sum.worst_ns);
		json_end_object(j);
	}
	json_end_object(j);
}

/* What lies outside of the steps; all 0 without steps. */
static void outside_object(struct json *j, const struct summary *s, const struct device_summary *d)
{
	static const struct steps_summary none;
	const struct steps_summary *row = step_trust_device(s, d->key);
	json_object(j, "steps_outside");
	row_fields(j, s, BATON_S_STEPS, row ? row : &none, 1);
	json_end_object(j);
}

static void device_object(struct json *j, const struct summary *s, const struct device_summary *d)
{
	json_object(j, NULL);
	json_text(j, "device", summary_text(s, d->key));
	json_text(j, "name", summary_text(s, d->name));
	json_array(j, "ranks");
	for (uint32_t i = 0; i < d->n_processes; i++)
		json_number(j, NULL, d->ranks[i]);
	json_end_array(j);
	json_array(j, "pids");
	for (uint32_t i = 0; i < d->n_processes; i++)
		json_number(j, NULL, d->pids[i]);
	json_end_array(j);
	row_fields(j, s, BATON_S_DEVICE, d, 1);
	step_object(j, d);
	outside_object(j, s, d);
	steps_thread(j, s, step_trust_device(s, d->key));
	json_object(j, "time_ns");
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (d->carried & LEAF_BIT(leaf))
			json_number(j, leaf_name((enum leaf)leaf), d->time_ns[leaf]);
	json_end_object(j);
	leaf_steps_object(j, s, d);
	json_object(j, "busy_ns");
	for (int group = 0; group < SUMMARY_GROUPS; group++)
		json_number(j, group_name((enum group)group), d->busy_ns[group]);
	json_end_object(j);
	row_fields(j, s, BATON_S_DEVICE, d, 2);
	readings_json(j, d);
	json_end_object(j);
}

static void kernel_object(struct json *j, const struct summary *s, const struct kernel_summary *k)
{
	char readable[4096];
	demangle(summary_text(s, k->name), readable, sizeof(readable));
	json_object(j, NULL);
	json_text(j, "name", readable);
	json_text(j, "group", group_name((enum group)k->group));
	json_text(j, "class", summary_text(s, k->class_name));
	if (k->tensor_core < 0)
		json_null(j, "tensor_core");
	else
		json_bool(j, "tensor_core", k->tensor_core > 0);
	row_fields(j, s, BATON_S_KERNEL, k, 1);
	json_number(j, "min_ns", counts_min(&k->dur_ns));
	json_number(j, "p50_ns", counts_percentile(&k->dur_ns, 50));
	json_number(j, "max_ns", counts_max(&k->dur_ns));
	json_end_object(j);
}

static void nccl_object(struct json *j, const struct summary *s, const struct nccl_summary *n)
{
	double busbw = figures_busbw_gbps(s, n);
	json_object(j, NULL);
	row_fields(j, s, BATON_S_NCCL, n, 1);
	if (n->reason)
		json_text(j, "unsplit_reason", summary_text(s, n->reason));
	else
		json_null(j, "unsplit_reason");
	json_ratio(j, "busbw_gbps", busbw);
	json_end_object(j);
}

static void rare_object(struct json *j, const struct summary *s, const struct rare *rare)
{
	json_object(j, "steps");
	json_number(j, "of", rare->of);
	json_number(j, "in", (int64_t)rare->in);
	json_number(j, "ns", rare->ns);
	json_number(j, "worst", rare->worst_step);
	json_number(j, "worst_ns", rare->worst_ns);
	json_text(j, "device", summary_text(s, s->devices[rare->device].key));
	json_number(j, "devices", rare->devices);
	json_end_object(j);
}

static void copy_object(struct json *j, const struct summary *s, const struct copy_summary *c)
{
	json_object(j, NULL);
	row_fields(j, s, BATON_S_COPY, c, 1);
	json_text(j, "direction", copies_direction(c->direction));
	json_bool(j, "pageable", c->pageable);
	row_fields(j, s, BATON_S_COPY, c, 2);
	json_end_object(j);
}

static void pair_object(struct json *j, const struct summary *s, const struct pair_summary *pair)
{
	json_object(j, NULL);
	row_fields(j, s, BATON_S_PAIR, pair, 1);
	json_end_object(j);
}

static void text_or_null(struct json *j, const char *key, const char *text)
{
	if (text)
		json_text(j, key, text);
	else
		json_null(j, key);
}

static void whom_fields(struct json *j, const struct summary *s, const struct finding_whom *whom)
{
	char host[192];
	snprintf(host, sizeof(host), "%.*s", (int)whom->host.chars, whom->host.at ? whom->host.at : "");
	json_known(j, "rank", whom->rank);
	text_or_null(j, "device",
				 whom->device_known ? summary_text(s, s->devices[whom->device].key) : NULL);
	text_or_null(j, "host", whom->host.at ? host : NULL);
	text_or_null(j, "cause", whom->cause);
}

static void known_ms(struct json *j, const char *key, bool known, int64_t ns)
{
	if (known)
		json_ratio(j, key, (double)ns / 1e6);
	else
		json_null(j, key);
}

static void gain_fields(struct json *j, const struct finding *f)
{
	const bool sized = f->gain_known && !f->gain_unsized;
	known_ms(j, "gain_ms", sized, f->gain_ns);
	known_ms(j, "gain_low_ms", sized, f->gain_low_ns);
	known_ms(j, "gain_high_ms", sized, f->gain_high_ns);
	known_ms(j, "gain_alone_ms", sized && f->gain_alone_ns >= 0, f->gain_alone_ns);
	text_or_null(j, "gain_reference", sized ? gain_reference_name(f->reference) : NULL);
}

/* Of two causes that pay only together the other one. */
static void together_object(struct json *j, const struct summary *s,
							const struct culprit_summary *joint)
{
	if (!joint) {
		json_null(j, "together");
		return;
	}
	json_object(j, "together");
	json_text(j, "cause", summary_text(s, joint->with_cause));
	json_known(j, "rank", joint->with_rank);
	text_or_null(j, "device", joint->with_device ? summary_text(s, joint->with_device) : NULL);
	json_ratio(j, "alone_ms", (double)joint->with_alone_ns / 1e6);
	json_ratio(j, "first_alone_ms", (double)joint->alone_ns / 1e6);
	json_end_object(j);
}

static void rank_of(struct json *j, const struct summary *s, size_t device)
{
	json_known(j, NULL, s->devices[device].n_processes ? s->devices[device].ranks[0] : -1);
}

/* Ranks that were found together. */
static void group_object(struct json *j, const struct summary *s, const struct finding *f)
{
	if (!f->others.n) {
		json_null(j, "group");
		return;
	}
	json_object(j, "group");
	json_array(j, "ranks");
	rank_of(j, s, f->whom.device);
	for (size_t i = 0; i < f->others.n; i++)
		rank_of(j, s, f->others.device[i]);
	json_end_array(j);
	known_ms(j, "gain_ms", !f->gain_unsized, f->others.gain_ns);
	json_end_object(j);
}

static void finding_object(struct json *j, const struct summary *s, const struct finding *f)
{
	json_object(j, NULL);
	json_text(j, "id", finding_kinds[f->id].name);
	json_text(j, "leaf", f->leaf);
	json_text(j, "severity", severity_name(f->severity));
	json_ratio(j, "share_ms", (double)f->share_ns / 1e6);
	gain_fields(j, f);
	together_object(j, s, f->joint);
	group_object(j, s, f);
	whom_fields(j, s, &f->whom);
	json_text(j, "text", f->summary);
	json_text(j, "remedy", f->remedy);
	json_text(j, "evidence", f->evidence);
	if (f->rare.in > 0)
		rare_object(j, s, &f->rare);
	else
		json_null(j, "steps");
	json_end_object(j);
}

static void gap_object(struct json *j, const struct gap_proof *g)
{
	json_object(j, NULL);
	json_text(j, "device", g->device);
	json_number(j, "step", g->step);
	json_known(j, "step_number", g->step_number);
	json_number(j, "begin_ns", g->a_ns);
	json_number(j, "end_ns", g->b_ns);
	json_number(j, "since_first_op_ns", g->since_ns);
	json_text(j, "next_op", g->next_op);
	json_text(j, "next_call", g->next_call);
	json_number(j, "call_begin_ns", g->call_begin_ns);
	json_number(j, "call_end_ns", g->call_end_ns);
	json_number(j, "tid", g->tid);
	json_text(j, "doing", g->doing);
	json_number(j, "doing_ns", g->doing_ns);
	json_text(j, "line", g->line);
	json_number(j, "line_ns", g->line_ns);
	json_text(j, "launch_line", g->launch_line);
	if (g->owed_ns > 0) {
		json_object(j, "owed");
		json_text(j, "call", g->owed_to);
		json_number(j, "ns", g->owed_ns);
		json_number(j, "returned_ns", g->owed_returned_ns);
		json_end_object(j);
	} else {
		json_null(j, "owed");
	}
	json_object(j, "time_ns");
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (g->leaf_ns[leaf] > 0)
			json_number(j, leaf_name((enum leaf)leaf), g->leaf_ns[leaf]);
	json_end_object(j);
	json_end_object(j);
}

void report_json(const struct report *report, FILE *out)
{
	const struct summary *s = &report->reduction->summary;
	struct json json = {.out = out}, *j = &json;
	json_object(j, NULL);
	json_text(j, "schema", "baton.report/0");
	run_object(j, report);
	quality_object(j, report);
	json_array(j, "devices");
	for (size_t i = 0; i < s->n_devices; i++)
		device_object(j, s, &s->devices[i]);
	json_end_array(j);
	json_array(j, "kernels");
	for (size_t i = 0; i < s->n_kernels; i++)
		kernel_object(j, s, &s->kernels[i]);
	json_end_array(j);
	json_array(j, "nccl");
	for (size_t i = 0; i < s->n_nccl; i++)
		nccl_object(j, s, &s->nccl[i]);
	json_end_array(j);
	json_array(j, "copies");
	for (size_t i = 0; i < s->n_copies; i++)
		copy_object(j, s, &s->copies[i]);
	json_end_array(j);
	json_array(j, "pairs");
	for (size_t i = 0; i < s->n_pairs; i++)
		pair_object(j, s, &s->pairs[i]);
	json_end_array(j);
	json_array(j, "findings");
	for (size_t i = 0; i < report->findings->n; i++)
		finding_object(j, s, &report->findings->at[i]);
	json_end_array(j);
	if (report->gaps) {
		json_array(j, "gaps");
		for (size_t i = 0; i < report->reduction->n_gaps; i++)
			gap_object(j, &report->reduction->gaps[i]);
		json_end_array(j);
	}
	if (report->by)
		by_json(report, j);
	json_end_object(j);
	fputc('\n', out);
}
