/* baton report: where the step time of one run went. */
#include "base/diag.h"
#include "render/gate.h"
#include "commands.h"
#include "reduce.h"
#include "render/report.h"

#include <string.h>

static const struct option_spec options[] = {
	{"json", 0, OPTION_FLAG, NULL, "schema baton.report/0 on stdout"},
	{"gaps", 0, OPTION_NUMBER, "N", "the N worst gaps with their proof"},
	{"leaf", 0, OPTION_TEXT, "PREFIX",
	 "with --gaps: only time in leaves that begin so, e.g. idle.host.input"},
	{"kernels", 0, OPTION_NUMBER, "N", "how many kernels to list (default 10; 0: all)"},
	{"steps", 0, OPTION_TEXT, "MODE", "'period': find steps by periodicity instead of markers"},
	{"step-range", 0, OPTION_TEXT, "NAME", "steps are the ranges with this name"},
	{"classes", 0, OPTION_TEXT, "FILE",
	 "your own kernel classes, tried first: lines 'REGEX CLASS'"},
	{"taxonomy", 0, OPTION_TEXT, "NAME", "'seed': the four groups of the nvprof study"},
	{"fresh", 0, OPTION_FLAG, NULL, "reduce again even when a stored summary is up to date"},
	{"fail-if", 0, OPTION_TEXT, "EXPR",
	 "status 1 when EXPR holds: a leaf prefix or 'idle', <, >, share of the step, e.g. "
	 "idle.host.input>0.1"},
	{0},
};

static int print(const struct invocation *call, const struct reduction *reduction)
{
	struct figures figures;
	struct findings findings;
	figures_compute(&reduction->summary, &figures);
	if (findings_make(&reduction->summary, &figures, &findings) != 0)
		return STATUS_INPUT;
	struct report report = {.dirs = call->operand,
							.n_dirs = (size_t)call->operands,
							.reduction = reduction,
							.figures = &figures,
							.findings = &findings,
							.gaps = option_given(call, "gaps"),
							.kernels = (uint32_t)option_number(call, "kernels", 10)};
	int status = STATUS_OK;
	if (option_given(call, "json"))
		report_json(&report, stdout);
	else if (option_given(call, "gaps"))
		report_gaps_text(&report, stdout);
	else
		report_text(&report, stdout);
	if (option_given(call, "fail-if"))
		status = gate_report(option_text(call, "fail-if", ""), &figures);
	findings_free(&findings);
	return status;
}

static int run(const struct invocation *call)
{
	struct reduction reduction;
	struct reduce_options how = {.step_range = option_text(call, "step-range", NULL),
								 .steps = option_text(call, "steps", NULL),
								 .taxonomy = option_text(call, "taxonomy", NULL),
								 .classes_file = option_text(call, "classes", NULL),
								 .fresh = option_given(call, "fresh"),
								 .store = true,
								 .gaps = (uint32_t)option_number(call, "gaps", 0),
								 .gaps_leaf = option_text(call, "leaf", NULL)};
	if (how.steps && strcmp(how.steps, "period") != 0) {
		diag("--steps knows 'period', not '%s'", how.steps);
		return STATUS_USAGE;
	}
	if (option_given(call, "fail-if") && gate_check(option_text(call, "fail-if", "")) != STATUS_OK)
		return STATUS_USAGE;
	int status = reduce_run(call->operand, (size_t)call->operands, &how, &reduction);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	int printed = print(call, &reduction);
	reduction_free(&reduction);
	return printed == STATUS_GATE ? STATUS_GATE : (int)status_worse(status, printed);
}

const struct command command_report = {
	.name = "report",
	.operands = "DIR...",
	.least_operands = 1,
	.summary = "where the step time went, on every GPU, and why",
	.details = "Reads a run (the directories of its nodes), prints the largest losses and what "
			   "they mean, then the whole "
			   "partition of the step, kernels, NCCL and the quality of the data. Status 4: "
			   "answered, but not from everything.",
	.options = options,
	.run = run,
};
