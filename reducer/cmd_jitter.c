/* baton jitter: which rank is late, kernel by kernel, over the steps (docs/JITTER.md). */
#include "base/diag.h"
#include "cli/pager.h"
#include "commands.h"
#include "render/out_file.h"
#include "jitter/print.h"
#include "imported.h"
#include "part_options.h"
#include "part_wanted.h"
#include "page/jitter_page.h"
#include "reduce.h"
#include "reduce_options.h"
#include "table_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_ROWS_DEFAULT = 10 };

static const struct option_spec options[] = {
	{"json", 0, OPTION_FLAG, NULL, "schema baton.jitter/0 on stdout"},
	{"rank", 0, OPTION_TEXT, "R[/GPU]",
	 "the kernels that vary most over the steps of this rank; GPU: its ordinal in a process that "
	 "drives several"},
	{"device", 0, OPTION_TEXT, "NAME",
	 "compare only these GPUs: a key HOST/ID, an ordinal, the beginning of a uuid; or all of HOST"},
	{"step", 0, OPTION_TEXT, "A[..B]", PART_STEP_HELP},
	{"time", 0, OPTION_TEXT, "A..B", PART_TIME_HELP},
	{"top", 0, OPTION_NUMBER, "N", "rows of each table (default 10; 0: all)"},
	{"csv", 0, OPTION_TEXT, "DIR",
	 "write a file for each matrix of kernels and ranks, and one for each table; '-': print the "
	 "tables instead of the text"},
	TABLE_MARKDOWN_ROW,
	{"steps-csv", 0, OPTION_TEXT, "DIR",
	 "write a file for each GPU and step: its kernels and their launches, 12 columns"},
	{"svg", 0, OPTION_TEXT, "DIR", "write the plots"},
	{"html", 0, OPTION_TEXT, "FILE",
	 "also write the answer to FILE as a page for a browser, which needs no network"},
	REDUCE_OPTION_ROWS,
	{"classes", 0, OPTION_TEXT, "FILE",
	 "your own classes of kernels, calls, ranges and frames, tried first: lines 'REGEX CLASS'"},
	{0},
};

static int read_number(const char **at, int64_t *out)
{
	char *end;
	errno = 0;
	if (**at < '0' || **at > '9')
		return -1;
	*out = strtoll(*at, &end, 10);
	*at = end;
	return errno ? -1 : 0;
}

static bool wants_device(const struct run *run, size_t device, const char *name)
{
	return part_wants(run, device, &(struct reduce_options){.only_device = name});
}

static int read_part(const struct invocation *call, const struct reduce_options *how,
					 struct jitter_study *study)
{
	bool by_step;
	struct step_span steps;
	struct time_span time;
	study->range = (struct step_range){0, INT64_MAX, INT64_MIN, INT64_MAX};
	study->wants = wants_device;
	if (part_steps_read(call, &by_step, &steps) != STATUS_OK ||
		part_time_read(call, &study->by_time, &time) != STATUS_OK ||
		part_device_read(call, &study->device) != STATUS_OK)
		return STATUS_USAGE;
	if (by_step && study->by_time) {
		diag("--step and --time are two ways to choose steps: give one of them");
		return STATUS_USAGE;
	}
	if (how->whole_run && study->by_time) {
		diag("--time chooses steps, and --steps none leaves none");
		return STATUS_USAGE;
	}
	if (by_step) {
		study->range.from = steps.from;
		study->range.to = steps.to;
	}
	if (study->by_time) {
		study->range.from_ns = time.from_ns;
		study->range.to_ns = time.to_ns;
	}
	return STATUS_OK;
}

/* The tables are printed, not written into a directory. */
static bool to_stdout(const struct invocation *call)
{
	return strcmp(option_text(call, "csv", ""), "-") == 0;
}

/* What is printed has one form. */
static int check_forms(const struct invocation *call)
{
	const bool csv = to_stdout(call), markdown = option_given(call, "markdown");
	if (csv + markdown + option_given(call, "json") < 2)
		return STATUS_OK;
	diag("%s and %s are two forms of one answer: give one of them", csv ? "--csv -" : "--markdown",
		 csv && markdown ? "--markdown" : "--json");
	return STATUS_USAGE;
}

static int made_dir(const char *dir)
{
	const int error = dir ? out_dir_make(dir) : 0;
	if (error)
		diag("%s: %s", dir, strerror(-error));
	return error ? STATUS_OUTPUT : STATUS_OK;
}

static int make_dirs(const struct invocation *call)
{
	static const char *const names[] = {"csv", "steps-csv", "svg"};
	int status = STATUS_OK;
	for (size_t i = to_stdout(call); i < sizeof(names) / sizeof(names[0]) && status == STATUS_OK;
		 i++)
		status = made_dir(option_text(call, names[i], NULL));
	return status;
}

/* A rank that several GPUs share is no answer. */
static int refuse_rank(const struct jitter_printed *printed, const char *text, uint32_t n)
{
	const struct jitter_study *study = printed->study;
	uint32_t first = printed->rank + 1 - n; /* they are neighbours */
	if (n == 0)
		diag("%s: no rank %s with kernels", printed->dir, text);
	else
		diag("%s: rank %s has %u GPUs: give --rank %s for one of them, up to %s", printed->dir,
			 text, n, jitter_rank_label(study, first), jitter_rank_label(study, printed->rank));
	return STATUS_USAGE;
}

static int find_rank(const struct invocation *call, struct jitter_printed *printed)
{
	const struct jitter_study *study = printed->study;
	const char *text = option_text(call, "rank", NULL), *at = text;
	int64_t rank = -1;
	uint32_t n = 0;
	printed->rank = study->n_ranks;
	if (!text)
		return STATUS_OK;
	if (read_number(&at, &rank) != 0 || *at != 0)
		rank = -1;
	for (uint32_t r = 0; r < study->n_ranks; r++) {
		if (strcmp(jitter_rank_label(study, r), text) == 0) {
			printed->rank = r;
			return STATUS_OK;
		}
		if (rank >= 0 && study->ranks[r].rank == rank) {
			printed->rank = r;
			n++;
		}
	}
	return refuse_rank(printed, text, n);
}

static int written(const char *dir, int error)
{
	if (error)
		diag("%s: %s", dir, strerror(-error));
	return error ? STATUS_OUTPUT : STATUS_OK;
}

static int write_files(const struct invocation *call, const struct jitter_printed *printed)
{
	const char *csv = option_text(call, "csv", NULL), *svg = option_text(call, "svg", NULL);
	const char *html = option_text(call, "html", NULL);
	int status = STATUS_OK;
	if (csv && !to_stdout(call))
		status = written(csv, jitter_csv(printed, csv));
	if (svg && status == STATUS_OK)
		status = written(svg, jitter_svg(printed, svg));
	if (html && status == STATUS_OK)
		status = (int)jitter_page(printed, html);
	return status;
}

static int print_study(const struct invocation *call, const struct jitter_printed *printed)
{
	pager_begin();
	const int error = to_stdout(call) ? jitter_sheets(printed, SHEET_CSV, stdout)
					  : option_given(call, "markdown")
						  ? jitter_sheets(printed, SHEET_MARKDOWN, stdout)
					  : option_given(call, "json") ? jitter_json(printed, stdout)
												   : jitter_text(printed, stdout);
	if (error)
		diag("%s: %s", printed->dir, strerror(-error));
	return error ? STATUS_INPUT : STATUS_OK;
}

static int print(const struct invocation *call, const struct jitter_study *study)
{
	struct jitter_verdict verdict;
	const long long rows = option_number(call, "top", to_stdout(call) ? 0 : TABLE_ROWS_DEFAULT);
	struct jitter_printed printed = {.dir = call->operand[0],
									 .study = study,
									 .verdict = &verdict,
									 .rows = rows > 0 && rows < UINT32_MAX ? (uint32_t)rows
																		   : UINT32_MAX};
	int status = find_rank(call, &printed);
	if (status != STATUS_OK)
		return status;
	const int error = jitter_verdict_make(&verdict, study);
	if (error) {
		diag("%s: %s", call->operand[0], strerror(-error));
		return STATUS_INPUT;
	}
	status = write_files(call, &printed);
	if (status == STATUS_OK)
		status = print_study(call, &printed);
	jitter_verdict_free(&verdict);
	return status;
}

/* What the visits found. */
static int answer(const struct invocation *call, const struct jitter_study *study)
{
	const int error = atomic_load(&study->written);
	if (error)
		return written(study->steps_dir, error);
	for (uint32_t r = 0; r < study->n_ranks; r++)
		if (study->ranks[r].steps)
			return print(call, study);
	const bool part = option_given(call, "step") || option_given(call, "time");
	if (study->absent)
		diag("%s: no GPU of it is device %s", call->operand[0], study->device);
	else if (study->axis.n == 0 && study->axis.uneven)
		diag("%s: no step that two ranks have: nothing to compare", call->operand[0]);
	else
		diag("%s: no kernels in %s: nothing to compare", call->operand[0],
			 part ? "these steps" : "counted steps");
	return STATUS_INPUT;
}

static int run(const struct invocation *call)
{
	struct reduction reduction;
	struct reduce_options how;
	struct jitter_study study = {.steps_dir = option_text(call, "steps-csv", NULL)};
	struct run_study visits = jitter_study_of(&study);
	if (reduce_options_read(call, false, &how) != STATUS_OK ||
		read_part(call, &how, &study) != STATUS_OK || check_forms(call) != STATUS_OK)
		return STATUS_USAGE;
	int status = make_dirs(call);
	if (status != STATUS_OK)
		return status;
	how.classes_file = option_text(call, "classes", NULL);
	how.store = false;
	how.study = &visits;
	study.write_step = study.steps_dir ? jitter_write_step : NULL;
	status = reduce_run(call->operand, (size_t)call->operands, &how, &reduction);
	if (status == STATUS_OK || status == STATUS_PARTIAL) {
		reduction_free(&reduction);
		status = status_worse(status, answer(call, &study));
	}
	jitter_study_close(&study);
	return finish_stdout(status);
}

static const struct named_text examples[] = {
	{"baton jitter runs/4gpu", "Which rank is late step after step, by how much, and why?"},
	{"baton jitter runs/4gpu --rank 3", "Which kernels vary most over the steps of rank 3?"},
	{"baton jitter runs/4gpu --step 7 --csv out",
	 "The matrices of one step, kernel by kernel and rank by rank."},
	{"baton jitter runs/4gpu --html jitter.html", "A page with every rank and step."},
	{"baton jitter runs/4gpu --svg plots", "The plots, for a browser."},
	{0},
};
static const struct named_text files[] = {
	{"DIR/*.baton", "the traces of the run, one for each process that was recorded"},
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{0},
};

const struct command command_jitter = {
	.name = "jitter",
	.operands = "DIR...",
	.least_operands = 1,
	.summary = "which rank is late, kernel by kernel, over the steps",
	.details =
		"Compares the kernels of all ranks of a job that launch the same ones: their durations, "
		"the "
		"gaps before them, the time to the end of each and from launch to start, step by step, "
		"against the mean of the ranks. Names ranks that are late or early in more steps than "
		"chance "
		"would make them, by how much, and what makes the difference. It needs no common clock: "
		"the "
		"last collective of a step ends at one time on all ranks. docs/JITTER.md defines the "
		"numbers.",
	.options = options,
	.examples = examples,
	.environment = view_environment,
	.files = files,
	.choices = choices,
	.prepare = imported_operands,
	.run = run,
};
