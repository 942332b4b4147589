/* baton compare: where the scaling of several runs was lost, or what changed between two. */
#include "base/diag.h"
#include "cli/pager.h"
#include "imported.h"
#include "commands.h"
#include "page/compare_page.h"
#include "part_options.h"
#include "repeats.h"
#include "reduce_options.h"
#include "rows_part.h"
#include "stats/seed_study.h"
#include "render/compare.h"
#include "render/compare_said.h"
#include "render/compare_gate.h"
#include "render/compare_sheets.h"
#include "table_options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option_spec options[] = {
	{"json", 0, OPTION_FLAG, NULL, "schema baton.compare/0 on stdout"},
	{"base", 0, OPTION_TEXT, "LIST",
	 "the base: one or more runs of one job, separated by commas; their mean counts"},
	{"run", 0, OPTION_TEXT, "LIST", "likewise: runs of one job that are compared as one"},
	{"scaling", 0, OPTION_TEXT, "KIND",
	 "weak, strong or auto (default): how work per GPU was meant to grow"},
	{"html", 0, OPTION_TEXT, "FILE",
	 "also write the answer to FILE as a page for a browser, which needs no network"},
	{"by", 0, OPTION_TEXT, "WHAT",
	 "with --taxonomy seed, group: GPU time of each run in the groups of the nvprof study"},
	{"svg", 0, OPTION_TEXT, "FILE", "with --by group: also write the charts to FILE"},
	PART_RANK_ROW,
	PART_DEVICE_ROW,
	{"step", 0, OPTION_TEXT, "A[..B]", PART_STEP_HELP},
	{"time", 0, OPTION_TEXT, "A..B", PART_TIME_HELP},
	TABLE_CSV_ROW,
	TABLE_MARKDOWN_ROW,
	VIEW_OPTION_ROWS,
	{"fail-if", 0, OPTION_TEXT, "EXPR",
	 "exit 1 if EXPR is true beyond noise for any run but the base, or cannot be judged: "
	 "efficiency<0.85, step>2%, a leaf or its beginning (nccl.wait>1ms; % is of the step; "
	 "as measured, before waits are charged), "
	 "kernel:REGEX>3% (of their time)"},
	{0},
};

static int parse_scaling(const char *text, enum scaling *scaling)
{
	static const char *const names[] = {
		[SCALING_AUTO] = "auto", [SCALING_WEAK] = "weak", [SCALING_STRONG] = "strong"};
	for (int i = SCALING_AUTO; i <= SCALING_STRONG; i++)
		if (strcmp(text, names[i]) == 0) {
			*scaling = (enum scaling)i;
			return STATUS_OK;
		}
	diag("--scaling must be weak, strong or auto, not '%s'", text);
	return STATUS_USAGE;
}

struct everything { /* of n runs */
	struct scaling_run *runs;
	const char **names;
	const struct summary **summaries;
	struct change_sides *sides;
	struct change *changes;
	struct work *work;
	struct charged *charged;
	struct row_changes (*rows)[CHANGE_KINDS];
};

static int make_room(struct everything *all, size_t n)
{
	all->runs = calloc(n, sizeof(*all->runs));
	all->names = calloc(n, sizeof(*all->names));
	all->summaries = calloc(n, sizeof(*all->summaries));
	all->sides = calloc(n, sizeof(*all->sides));
	all->changes = calloc(n, sizeof(*all->changes));
	all->work = calloc(n, sizeof(*all->work));
	all->charged = calloc(n, sizeof(*all->charged));
	all->rows = calloc(n, sizeof(*all->rows));
	return all->runs && all->names && all->summaries && all->sides && all->changes && all->work &&
				   all->charged && all->rows
			   ? 0
			   : -ENOMEM;
}

static void free_all(struct everything *all, size_t n)
{
	for (size_t i = 0; all->charged && i < n; i++)
		charged_close(&all->charged[i]);
	for (size_t i = 0; all->rows && i < n; i++)
		for (int kind = 0; kind < CHANGE_KINDS; kind++)
			row_changes_close(&all->rows[i][kind]);
	free(all->runs);
	free(all->names);
	free(all->summaries);
	free(all->sides);
	free(all->changes);
	free(all->work);
	free(all->charged);
	free(all->rows);
}

/* One run against the base. Where the work is another one there is no speed-up. */
static int compute_change(struct everything *all, size_t i)
{
	int error = change_find(&all->sides[i], &all->changes[i]);
	if (!error)
		error = work_find_slower(&all->sides[i], &all->changes[i], &all->work[i]);
	if (all->work[i].other) {
		all->runs[i].efficiency = all->runs[i].speed_up = NAN;
		all->changes[i].known = false;
	}
	if (!error)
		error = charged_open(&all->charged[i], &all->sides[i], &all->changes[i]);
	for (int kind = 0; kind < CHANGE_KINDS && !error && !all->work[i].other; kind++)
		error = row_changes_open(&all->rows[i][kind], &all->sides[i], &all->changes[i],
								 (enum row_change_kind)kind);
	return error;
}

/* How the runs scale, once those whose work is another one than the base's are set aside. */
static int compute_scaling(struct everything *all, size_t n, struct scaling_wanted wanted,
						   struct scaling_result *result)
{
	int error = 0;
	scaling_compute(all->runs, n, wanted, result);
	for (size_t i = 0; !error && i < n; i++) {
		all->sides[i].base_side = all->sides[result->base].side;
		all->sides[i].run = &all->runs[i];
		all->sides[i].base = &all->runs[result->base];
		if (i != result->base)
			error = work_find_other(&all->sides[i], wanted.scaling != SCALING_AUTO, &all->work[i]);
		all->runs[i].aside = all->work[i].other != WORK_AS_WANTED;
	}
	scaling_compute(all->runs, n, wanted, result);
	return error;
}

static int compute(struct everything *all, const struct repeats *repeats, size_t n,
				   struct scaling_wanted wanted, struct scaling_result *result)
{
	int error = make_room(all, n);
	if (error)
		return error;
	for (size_t i = 0; i < n; i++) {
		all->runs[i].figures = &repeats[i].side.mean;
		all->runs[i].busy_ns = repeats[i].side.busy_ns;
		all->names[i] = repeats[i].name;
		all->summaries[i] = side_middle(&repeats[i].side);
		all->sides[i].side = &repeats[i].side;
	}
	error = compute_scaling(all, n, wanted, result);
	for (size_t i = 0; !error && i < n; i++)
		if (i != result->base)
			error = compute_change(all, i);
	return error;
}

/* In the form that was asked for. An enum status. */
static int print_form(const struct invocation *call, const struct comparison *comparison)
{
	enum sheet_format format;
	if (table_options_read(call, &format) != STATUS_OK)
		return STATUS_USAGE;
	if (format != SHEET_TABLE)
		return table_options_written(comparison->names[0],
									 compare_sheets(comparison, format, stdout));
	if (option_given(call, "json"))
		compare_json(comparison, stdout);
	else
		compare_text(comparison, stdout);
	return STATUS_OK;
}

struct wanted {
	struct reduce_options how;
	struct scaling_wanted scaling;
	struct compare_gate gate;
};

static int print(const struct invocation *call, const struct repeats *repeats, size_t n,
				 const struct wanted *wanted)
{
	struct everything all = {0};
	char part[PART_WORDS_BYTES];
	struct scaling_result result;
	int status = STATUS_INPUT; /* no memory */
	part_options_words(&wanted->how, part, sizeof(part));
	if (compute(&all, repeats, n, wanted->scaling, &result) == 0) {
		struct comparison comparison = {.n = n,
										.part = part[0] ? part : NULL,
										.lacks_ranks = wanted->how.only_ranks != NULL ||
													   wanted->how.only_device != NULL,
										.names = all.names,
										.summaries = all.summaries,
										.runs = all.runs,
										.result = &result,
										.sides = all.sides,
										.changes = all.changes,
										.work = all.work,
										.charged = all.charged,
										.rows = all.rows};
		if (!result.sure)
			diag("work per GPU fits neither weak nor strong scaling; compared as weak scaling "
				 "(--scaling changes it)");
		const char *html = option_text(call, "html", NULL);
		status = html ? (int)compare_page(&comparison, html) : STATUS_OK;
		pager_begin();
		status = (int)status_worse((enum status)status, (enum status)print_form(call, &comparison));
		if (status == STATUS_OK)
			status = compare_gate_judge(&wanted->gate, &comparison);
	}
	free_all(&all, n);
	return status;
}

/* The sides in the order of the output: --base, the operands, --run. */
static int open_sides(const struct invocation *call, const struct reduce_options *how,
					  struct repeats *sides, size_t *n)
{
	const char *base = option_text(call, "base", NULL), *run = option_text(call, "run", NULL);
	const bool chosen = strcmp(option_text(call, "scaling", "auto"), "auto") != 0;
	int status = STATUS_OK;
	*n = 0;
	for (int i = base ? -1 : 0; i < call->operands + (run != NULL); i++) {
		int one;
		if (i < 0)
			one = repeats_of_list(base, how, chosen, &sides[*n]);
		else if (i < call->operands)
			one = repeats_of_operand(call->operand[i], how, &sides[*n]);
		else
			one = repeats_of_list(run, how, chosen, &sides[*n]);
		if (one != STATUS_OK && one != STATUS_PARTIAL)
			return one;
		status = status_worse(status, one);
		++*n;
	}
	return status;
}

static int compare_sides(const struct invocation *call, const struct wanted *wanted)
{
	struct repeats *sides = calloc((size_t)call->operands + 2, sizeof(*sides));
	size_t n = 0;
	int status = sides ? open_sides(call, &wanted->how, sides, &n) : STATUS_INPUT;
	if (status == STATUS_OK || status == STATUS_PARTIAL) {
		int printed = print(call, sides, n, wanted);
		status = printed == STATUS_GATE ? STATUS_GATE : (int)status_worse(status, printed);
	}
	for (size_t i = 0; i < n; i++)
		repeats_close(&sides[i]);
	free(sides);
	return status;
}

static int check_sides(const struct invocation *call)
{
	const int n = call->operands + option_given(call, "base") + option_given(call, "run");
	if (n >= 2)
		return STATUS_OK;
	diag("usage: baton compare [OPTION...] DIR DIR... or --base DIR,... DIR...: two runs are "
		 "needed");
	return STATUS_USAGE;
}

static int open_for_groups(const void *context, char *const *dirs, size_t n,
						   const struct seed_view *view)
{
	struct rows_ask ask = *(const struct rows_ask *)context;
	ask.dirs = dirs;
	ask.n_dirs = n;
	return rows_part_view(&ask, view->take, view->context);
}

/* All work of each run, or of the part that is asked for, in the groups of the study. */
static int run_groups(const struct invocation *call)
{
	static const char *const others[] = {"json",    "base",  "run",        "scaling", "html",
										 "fail-if", "steps", "step-range", "classes"};
	const char *by = option_text(call, "by", NULL);
	enum sheet_format format;
	struct rows_ask ask;
	if (table_options_read(call, &format) != STATUS_OK || rows_ask_read(call, &ask) != STATUS_OK)
		return STATUS_USAGE;
	if (!by || strcmp(by, "group") != 0) {
		diag("--by must be group, not '%s'", by ? by : "");
		return STATUS_USAGE;
	}
	if (strcmp(option_text(call, "taxonomy", ""), "seed") != 0) {
		diag("--by group needs --taxonomy seed");
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (option_given(call, others[i])) {
			diag("--by group and --%s are two reports", others[i]);
			return STATUS_USAGE;
		}
	pager_begin();
	const struct seed_forms forms = {format, stdout, option_text(call, "svg", NULL)};
	const struct seed_opener opener = {open_for_groups, &ask};
	return seed_study_compare(call->operand, (size_t)call->operands, &forms, &opener);
}

static int run(const struct invocation *call)
{
	struct wanted wanted = {.scaling.first_is_base = option_given(call, "base")};
	int status = check_sides(call);
	enum sheet_format format;
	if (status == STATUS_OK && option_given(call, "by"))
		return run_groups(call);
	if (status == STATUS_OK && option_given(call, "svg")) {
		diag("--svg is for --by group");
		return STATUS_USAGE;
	}
	if (status == STATUS_OK)
		status = table_options_read(call, &format);
	if (status == STATUS_OK)
		status = parse_scaling(option_text(call, "scaling", "auto"), &wanted.scaling.scaling);
	if (status == STATUS_OK)
		status = reduce_options_read(call, true, &wanted.how);
	if (status == STATUS_OK)
		status = part_options_read(call, &wanted.how);
	if (status == STATUS_OK)
		status = compare_gate_open(&wanted.gate, option_text(call, "fail-if", NULL));
	if (status == STATUS_OK)
		status = compare_sides(call, &wanted);
	compare_gate_close(&wanted.gate);
	return status;
}

static const struct named_text examples[] = {
	{"baton compare runs/1gpu runs/2gpu runs/4gpu", "Why are 4 GPUs not 4 times as fast as one?"},
	{"baton compare --html scaling.html runs/1gpu runs/2gpu runs/4gpu",
	 "The same as a page for a browser."},
	{"baton compare runs/before runs/after",
	 "What changed between two runs on the same number of GPUs?"},
	{"baton compare runs/1gpu runs/node0,runs/node1",
	 "A run whose nodes wrote into directories of their own."},
	{"baton compare --base runs/a1,runs/a2,runs/a3 runs/b",
	 "Against the mean of three runs: what differs between those is noise."},
	{"baton compare --fail-if 'efficiency<0.85' runs/1gpu runs/4gpu",
	 "In a script: exit status 1 when scaling is worse than that."},
	{"baton compare --fail-if 'step>2%' --base runs/a1,runs/a2,runs/a3 runs/b",
	 "In a script: exit status 1 when the step became longer by more than 2 %, beyond noise."},
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{"by", "group"},
	{"scaling", "weak strong auto"},
	{0},
};

static int prepare(struct invocation *call)
{
	int status = imported_runs(call);
	if (status == STATUS_OK || status == STATUS_PARTIAL)
		status = (int)status_worse((enum status)status, (enum status)imported_list(call, "base"));
	if (status == STATUS_OK || status == STATUS_PARTIAL)
		status = (int)status_worse((enum status)status, (enum status)imported_list(call, "run"));
	return status;
}

const struct command command_compare = {
	.name = "compare",
	.operands = "DIR...",
	.least_operands = 0,
	.summary = "why n GPUs are not n times one, or what changed between two runs",
	.details = "Each operand is one run; join the directories of its nodes with commas. A file of "
			   "`baton reduce -o` stands for a run, too. The run "
			   "with the fewest GPUs is the base (the first named, if several have as few), "
			   "unless --base names it. In the lists of --base and --run commas separate runs "
			   "of one job, and '+' joins the directories of the nodes of one run. The terms "
			   "of the bridge add up to the lost time exactly; the number after +- is its noise: "
			   "how far other steps of the same runs might have taken it, and how far the "
			   "runs of one side lie apart. If both runs have GPU "
			   "samples (baton record) of one GPU model, the bridge also says when their SM "
			   "clocks differ by more than 2 %. Status 4 as for baton report: some of a run is "
			   "missing.",
	.options = options,
	.examples = examples,
	.environment = view_environment,
	.files = run_files,
	.choices = choices,
	.prepare = prepare,
	.run = run,
};
