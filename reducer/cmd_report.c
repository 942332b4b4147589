/* baton report: where the step time of one run went. */
#include "base/diag.h"
#include "render/gate.h"
#include "page/report_page.h"
#include "cli/pager.h"
#include "commands.h"
#include "imported.h"
#include "part_options.h"
#include "reduce.h"
#include "reduce_events.h"
#include "reduce_options.h"
#include "read/run.h"
#include "render/by.h"
#include "render/report_sheets.h"
#include "rows_part.h"
#include "stats/copies.h"
#include "stats/seed_study.h"
#include "render/critical.h"
#include "conclude/finding_text.h"
#include "summary/leaf.h"
#include "table_options.h"

#include <string.h>

enum { GAPS = 5 /* with --leaf alone */, BY_ROWS = 20, KERNELS = 10, REPLAY_STEPS = 26 };

static const struct option_spec options[] = {
	{"json", 0, OPTION_FLAG, NULL, "schema baton.report/0 on stdout"},
	{"gaps", 0, OPTION_NUMBER, "N", "the N worst idle gaps, and what the CPU did in each"},
	{"leaf", 0, OPTION_TEXT, "PREFIX",
	 "the worst gaps by their time in leaves that begin with PREFIX, e.g. idle.host (default: 5 "
	 "gaps)"},
	{"kernels", 0, OPTION_NUMBER, "N", "how many kernels to list (default 10; 0: all)"},
	{"by", 0, OPTION_TEXT, "WHAT",
	 "GPU time, launches and starved time by line, stack, module, op, shape or range of the "
	 "launch; copy: "
	 "copies by direction and by the GPUs between which they go; with --taxonomy seed also by "
	 "device: the tables of the nvprof study"},
	{"svg", 0, OPTION_TEXT, "FILE", "with --by device: also write the charts to FILE"},
	PART_RANK_ROW,
	PART_DEVICE_ROW,
	{"step", 0, OPTION_TEXT, "A[..B]", PART_STEP_HELP},
	{"time", 0, OPTION_TEXT, "A..B", PART_TIME_HELP},
	TABLE_CSV_ROW,
	TABLE_MARKDOWN_ROW,
	{"top", 0, OPTION_NUMBER, "N", "with --by: how many rows (default 20; 0: all)"},
	{"critical", 0, OPTION_FLAG, NULL,
	 "only the critical path of some steps: its kernels, transfers and host time, and the slack of "
	 "collectives"},
	{"html", 0, OPTION_TEXT, "FILE",
	 "also write the answer to FILE as a page for a browser, which needs no network"},
	{"no-source", 0, OPTION_FLAG, NULL,
	 "with --html: without the text of the lines of Python code, and without opening their files"},
	VIEW_OPTION_ROWS,
	{"fail-if", 0, OPTION_TEXT, "EXPR",
	 "exit 1 if EXPR is true or cannot be evaluated on this run: a leaf or its beginning (share of "
	 "the step) or "
	 "step_ms, < or >, a number, e.g. idle.host.input>0.1"},
	{0},
};

static int write_page(const struct invocation *call, const struct reduce_options *how,
					  const struct report *report)
{
	const char *path = option_text(call, "html", NULL);
	const struct export_job job = {.dirs = call->operand,
								   .n_dirs = (size_t)call->operands,
								   .reduce = reduce_events,
								   .how = how};
	const struct report_page_file file = {path, !option_given(call, "no-source")};
	return path ? (int)report_page(report, &job, &file) : STATUS_OK;
}

/* In the form that was asked for. An enum status. */
static int print_form(const struct invocation *call, const struct report *report)
{
	enum sheet_format format;
	if (table_options_read(call, &format) != STATUS_OK)
		return STATUS_USAGE;
	if (format != SHEET_TABLE)
		return table_options_written(report->dirs[0], report_sheets(report, format, stdout));
	if (option_given(call, "json"))
		report_json(report, stdout);
	else if (report->by)
		by_text(report, stdout);
	else if (report->gaps)
		report_gaps_text(report, stdout);
	else
		report_text(report, stdout);
	return STATUS_OK;
}

static int print(const struct invocation *call, const struct reduce_options *how,
				 struct reduction *reduction)
{
	struct figures figures;
	struct findings findings;
	struct by_table by;
	char part[PART_WORDS_BYTES];
	const bool all = option_given(call, "json") || option_given(call, "csv");
	if (option_given(call, "by")) {
		by_open(&by, &reduction->summary, by_named(option_text(call, "by", "")));
		if (!by.told) {
			diag("%s: --by %s: %s", call->operand[0], by_name(by.by),
				 by_lack(&reduction->summary, by.by));
			return STATUS_INPUT;
		}
	}
	figures_compute(&reduction->summary, &figures);
	part_forget_late(how, &reduction->summary);
	if (findings_make(&reduction->summary, &figures, &findings) != 0)
		return STATUS_INPUT;
	part_reword_wait(how, &findings);
	part_options_words(how, part, sizeof(part));
	struct report report = {.dirs = call->operand,
							.n_dirs = (size_t)call->operands,
							.reduction = reduction,
							.figures = &figures,
							.findings = &findings,
							.gaps = option_given(call, "gaps") || option_given(call, "leaf"),
							.part = part[0] ? part : NULL,
							.kernels = (uint32_t)option_number(call, "kernels", all ? 0 : KERNELS),
							.by = option_given(call, "by") ? &by : NULL,
							.by_top = (uint32_t)option_number(call, "top", all ? 0 : BY_ROWS)};
	int status = write_page(call, how, &report);
	pager_begin();
	status = (int)status_worse((enum status)status, (enum status)print_form(call, &report));
	if (status == STATUS_OK && option_given(call, "fail-if"))
		status = gate_report(option_text(call, "fail-if", ""), &figures,
							 finding_unsplit_reason(&reduction->summary));
	findings_free(&findings);
	return status;
}

/* Gaps are idle time: another leaf, or none at all, would give an empty list. */
static int read_gaps(const struct invocation *call, struct reduce_options *how)
{
	const char *leaf = option_text(call, "leaf", NULL);
	const uint64_t idle = leaf_names_under("idle");
	how->gaps = (uint32_t)option_number(call, "gaps", leaf ? GAPS : 0);
	how->gaps_leaf = leaf;
	if (!leaf || leaf_names_under(leaf) & idle)
		return STATUS_OK;
	if (leaf_names_under(leaf))
		diag("--leaf: gaps are idle time, '%s' is not", leaf);
	else
		diag("--leaf: '%s' is neither a leaf of idle time nor the beginning of one; did you mean "
			 "'%s'?",
			 leaf, leaf_names_nearest(leaf, idle));
	return STATUS_USAGE;
}

struct critical_view {
	const char *dir;
	enum sheet_format format;
	int status;
};

static int print_critical(struct replayed *replayed, void *context)
{
	struct critical_view *view = context;
	pager_begin();
	if (replayed)
		return critical_print(view->dir, replayed, view->format, stdout);
	diag("%s: there are too few steps to replay (three are needed)", view->dir);
	view->status = STATUS_INPUT;
	return 0;
}

static int run_critical(const struct invocation *call, struct reduce_options *how)
{
	static const char *const others[] = {"gaps",    "leaf", "by",     "kernels", "html",
										 "fail-if", "rank", "device", "step",    "time"};
	struct critical_view view = {call->operand[0], SHEET_JSON, STATUS_OK};
	struct reduction reduction;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (option_given(call, others[i])) {
			diag("--critical and --%s are two reports", others[i]);
			return STATUS_USAGE;
		}
	if (!option_given(call, "json") && table_options_read(call, &view.format) != STATUS_OK)
		return STATUS_USAGE;
	how->store = how->must_store = false;
	how->replay = print_critical;
	how->replay_context = &view;
	how->replay_steps = REPLAY_STEPS;
	int status = reduce_run(call->operand, (size_t)call->operands, how, &reduction);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	reduction_free(&reduction);
	return view.status == STATUS_OK ? status : view.status;
}

static int check_by(const struct invocation *call)
{
	const char *by = option_text(call, "by", NULL);
	if (!by && option_given(call, "top"))
		diag("--top needs --by");
	else if (option_given(call, "svg"))
		diag("--svg is for --by device");
	else if (by && !by_named(by))
		diag(
			"--by must be line, stack, module, op, shape, range or copy, with --taxonomy seed also "
			"device, not '%s'",
			by);
	else
		return STATUS_OK;
	return STATUS_USAGE;
}

static int print_devices(struct stats_run *run, const void *forms)
{
	return seed_study_print(run, forms);
}

/* All work of the run, or of its part, in the groups of the study. */
static int run_devices(const struct invocation *call)
{
	static const char *const others[] = {"json",  "gaps",       "leaf",   "kernels",
										 "top",   "critical",   "html",   "fail-if",
										 "steps", "step-range", "classes"};
	const char *taxonomy = option_text(call, "taxonomy", "");
	enum sheet_format format;
	struct rows_ask ask;
	if (table_options_read(call, &format) != STATUS_OK || rows_ask_read(call, &ask) != STATUS_OK)
		return STATUS_USAGE;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (option_given(call, others[i])) {
			diag("--by device and --%s are two reports", others[i]);
			return STATUS_USAGE;
		}
	if (strcmp(taxonomy, "seed") != 0) {
		diag("--by device needs --taxonomy seed");
		return STATUS_USAGE;
	}
	pager_begin();
	const struct seed_forms forms = {format, stdout, option_text(call, "svg", NULL)};
	return rows_part_view(&ask, print_devices, &forms);
}

static int print_copies(struct stats_run *run, const void *format)
{
	return copies_report(run, *(const enum sheet_format *)format, stdout);
}

/* The copies of the run, or of its part. */
static int run_copies(const struct invocation *call)
{
	static const char *const others[] = {"gaps",       "leaf",    "kernels", "top",
										 "critical",   "html",    "fail-if", "steps",
										 "step-range", "classes", "svg",     "taxonomy"};
	enum sheet_format format;
	struct rows_ask ask;
	if (table_options_read(call, &format) != STATUS_OK || rows_ask_read(call, &ask) != STATUS_OK)
		return STATUS_USAGE;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (option_given(call, others[i])) {
			diag("--by copy and --%s are two reports", others[i]);
			return STATUS_USAGE;
		}
	pager_begin();
	format = option_given(call, "json") ? SHEET_JSON : format;
	return rows_part_view(&ask, print_copies, &format);
}

static int run(const struct invocation *call)
{
	struct reduction reduction;
	struct reduce_options how;
	enum sheet_format format;
	if (strcmp(option_text(call, "by", ""), "device") == 0)
		return run_devices(call);
	if (strcmp(option_text(call, "by", ""), "copy") == 0)
		return run_copies(call);
	if (table_options_read(call, &format) != STATUS_OK)
		return STATUS_USAGE;
	if (reduce_options_read(call, true, &how) != STATUS_OK || read_gaps(call, &how) != STATUS_OK ||
		part_options_read(call, &how) != STATUS_OK)
		return STATUS_USAGE;
	if (check_by(call) != STATUS_OK)
		return STATUS_USAGE;
	if (option_given(call, "critical"))
		return run_critical(call, &how);
	if (option_given(call, "fail-if") && gate_check(option_text(call, "fail-if", "")) != STATUS_OK)
		return STATUS_USAGE;
	int status = reduce_run(call->operand, (size_t)call->operands, &how, &reduction);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	int printed = print(call, &how, &reduction);
	reduction_free(&reduction);
	return printed == STATUS_GATE ? STATUS_GATE : (int)status_worse(status, printed);
}

static const struct named_text examples[] = {
	{"baton report runs/4gpu", "Where did the time of a step go, and why?"},
	{"baton report runs/node0 runs/node1",
	 "A run whose nodes wrote into directories of their own."},
	{"baton report runs/4gpu --gaps 5 --leaf idle.host.input",
	 "The proof: the five longest waits for input."},
	{"baton report runs/4gpu --by line",
	 "Which lines of the program launched the GPU's work, and which ones it waited for."},
	{"baton report runs/4gpu --critical",
	 "Which work, on which GPU, decides how long a step takes."},
	{"baton report --html 4gpu.html runs/4gpu", "The same as a page for a browser."},
	{"baton report --fail-if 'idle.host.input>0.1' runs/4gpu",
	 "In a script: exit status 1 when more than a tenth of the step waits for input."},
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{"by", "line stack module op shape range copy device"},
	{0},
};

const struct command command_report = {
	.name = "report",
	.operands = "DIR...",
	.least_operands = 1,
	.summary = "where the step time went, on every GPU, and why",
	.details = "Reads a run (the directories of its nodes) and prints the largest losses and what "
			   "they mean, then where the whole step went, kernels, NCCL and the quality of the "
			   "data. Status 4: the answer lacks something, because files are damaged, ranks have "
			   "no file, or GPU records were in flight when the job was killed.\n\nA profile of "
			   "another tool (PyTorch's JSON, SQLite of nsys), or a directory of such files, may "
			   "stand in the place of DIR: it is imported into NAME.imported first, where it was "
			   "not yet. Several are one run.",
	.options = options,
	.examples = examples,
	.environment = view_environment,
	.files = run_files,
	.choices = choices,
	.prepare = imported_operands,
	.run = run,
};
