#include "page/report_page.h"

#include "base/diag.h"
#include "conclude/by_step.h"
#include "page/gauges_page.h"
#include "page/page.h"
#include "page/page_words.h"
#include "page/source_page.h"
#include "page/step_lengths.h"
#include "page/timeline_page.h"
#include "render/by.h"
#include "render/json.h"

#include <string.h>

static int write_report(const void *of, FILE *out)
{
	report_json(of, out);
	return 0;
}

static void print_text(const void *of, size_t i, FILE *out)
{
	(void)i;
	report_text(of, out);
}

static void print_answer(const void *of, size_t i, FILE *out)
{
	(void)i;
	report_answer(of, true, out);
}

static void print_gain(const void *of, size_t i, FILE *out)
{
	report_gain(of, i, out);
}

static void print_see(const void *of, size_t i, FILE *out)
{
	report_see(of, i, out);
}

/* The sentences of the text, so that the page has the same ones. */
static int write_words(const void *of, FILE *out)
{
	const struct report *report = of;
	struct json json = {.out = out}, *j = &json;
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.words/0");
	int error = page_words_put(j, "answer", &(struct page_lines){print_answer, of, 0});
	json_array(j, "findings");
	for (size_t i = 0; i < report->findings->n && !error; i++) {
		json_object(j, NULL);
		error = page_words_put(j, "gain", &(struct page_lines){print_gain, of, i});
		if (!error)
			error = page_words_put(j, "see", &(struct page_lines){print_see, of, i});
		json_end_object(j);
	}
	json_end_array(j);
	if (!error)
		error = page_words_put(j, "text", &(struct page_lines){print_text, of, 0});
	json_end_object(j);
	return error;
}

/* The means that the text prints: they add up to the step exactly. */
static int write_figures(const void *of, FILE *out)
{
	const struct figures *f = ((const struct report *)of)->figures;
	struct json json = {.out = out}, *j = &json;
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.figures/0");
	json_bool(j, "has_steps", f->has_steps);
	json_number(j, "devices", f->devices);
	json_number(j, "step_ns", f->step_ns);
	json_number(j, "p95_ns", f->p95_ns);
	json_number(j, "max_ns", f->max_ns);
	json_number(j, "hidden_ns", f->hidden_ns);
	json_number(j, "kernels", f->kernels);
	json_object(j, "time_ns");
	for (int leaf = 0; leaf < LEAF_COUNT; leaf++)
		if (f->carried & LEAF_BIT(leaf))
			json_number(j, leaf_name((enum leaf)leaf), f->time_ns[leaf]);
	json_end_object(j);
	json_end_object(j);
	return 0;
}

/* What `--by` prints, for all that the run knows. */
static int write_tables(const void *of, FILE *out)
{
	static const enum site_by all[] = {SITE_LINE, SITE_STACK, SITE_MODULE, SITE_OP, SITE_RANGE};
	const struct summary *summary = &((const struct report *)of)->reduction->summary;
	struct json json = {.out = out}, *j = &json;
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.tables/0");
	json_array(j, "tables");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct by_table table;
		struct report report = *(const struct report *)of;
		by_open(&table, summary, all[i]);
		report.by = &table;
		report.by_top = 0;
		json_object(j, NULL);
		if (table.told)
			by_json(&report, j);
		else
			json_text(j, "lack", by_lack(summary, all[i]));
		json_end_object(j);
	}
	json_end_array(j);
	json_end_object(j);
	return 0;
}

static int put_leaf(struct json *j, const struct summary *summary, enum leaf leaf)
{
	struct by_step steps;
	const int error = by_step_open(&steps, summary, LEAF_BIT(leaf), 0);
	if (!error && by_step_sum(&steps) > 0) {
		json_array(j, leaf_name(leaf));
		for (size_t i = 0; i < steps.n; i++)
			json_number(j, NULL, steps.ns[i] / (int64_t)summary->n_devices);
		json_end_array(j);
	}
	by_step_close(&steps);
	return error;
}

/* How long each step is, and what it loses: the mean of the devices. */
static int write_steps(const void *of, FILE *out)
{
	const struct summary *summary = &((const struct report *)of)->reduction->summary;
	struct json json = {.out = out}, *j = &json;
	json_object(j, NULL);
	json_text(j, "schema", "baton.page.steps/0");
	int error = step_lengths_put(j, summary);
	json_object(j, "leaves_ns");
	for (int leaf = 0; leaf < LEAF_COUNT && !error; leaf++)
		error = put_leaf(j, summary, (enum leaf)leaf);
	json_end_object(j);
	json_end_object(j);
	return error;
}

enum status report_page(const struct report *report, const struct export_job *job,
						const struct report_page_file *file)
{
	struct step_views views;
	const int error = step_views_open(
		&views, job, (struct step_subject){&report->reduction->summary, report->findings});
	const struct source_page source = {&report->reduction->summary, &views, !file->source};
	const struct timeline_page timeline = {.views = &views};
	const struct page_document documents[] = {
		{"report", write_report, report, NULL},
		{"words", write_words, report, NULL},
		{"tree", page_words_tree, NULL, NULL},
		{"figures", write_figures, report, NULL},
		{"tables", write_tables, report, NULL},
		{"steps", write_steps, report, NULL},
		{"source", source_page_write, &source, NULL},
		{"gauges", gauges_page_write, &views, NULL},
		{"timeline", NULL, &timeline, timeline_page_write},
	};
	enum status status = STATUS_INPUT;
	if (error)
		diag("%s: %s", report->dirs[0], strerror(-error));
	else
		status = page_write(file->path, documents, sizeof(documents) / sizeof(documents[0]));
	step_views_close(&views);
	return status;
}
