/* baton reduce: make the summary that the views read. They do it themselves when it is missing;
 * this one does it now. */
#include "base/diag.h"
#include "baseline.h"
#include "base/shell.h"
#include "commands.h"
#include "reduce.h"
#include "part_options.h"
#include "reduce_options.h"
#include "stretch.h"
#include "summary/summary.h"

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, "FILE",
	 "write the summary of one run (the DIRs of its nodes) into FILE, to be kept without the "
	 "traces"},
	{"part", 0, OPTION_FLAG, NULL,
	 "with -o: FILE is a part of a run, made of one node's files, for baton merge"},
	{"met", 0, OPTION_TEXT, "FILE",
	 "with --part: the merged parts of all nodes, so that waits for other nodes are known"},
	{"time", 0, OPTION_TEXT, "A..B", "with -o: " PART_TIME_HELP "; no culprits are looked for"},
	{"add", 0, OPTION_FLAG, NULL,
	 "with -o: add them to FILE, which holds the stretches of time before; without --time, all "
	 "steps that begin after those"},
	{"no-replay", 0, OPTION_FLAG, NULL, "with -o: do not look for culprits in a replay"},
	REDUCE_OPTION_ROWS,
	{0},
};

/* Files that are damaged or cannot be read are remembered in the part; those that were left out are
 * not. */
static int store_part(const struct invocation *call, const struct reduce_options *how)
{
	const char *path = option_text(call, "output", "");
	struct reduction reduction;
	int status = reduce_run(call->operand, (size_t)call->operands, how, &reduction);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	if (reduction.left_out)
		diag("%s: files were left out, so %s is not written", call->operand[0], path);
	else
		status = status_worse(baseline_store(path, how, &reduction.summary), status);
	if (status == STATUS_OK)
		diag("%zu devices reduced into %s        next: baton merge %s ... -o FILE",
			 reduction.summary.n_devices, path, shell_word(path).at);
	reduction_free(&reduction);
	return status;
}

static int reduce_part(const struct invocation *call, struct reduce_options *how)
{
	const char *met = option_text(call, "met", NULL);
	struct summary all;
	how->part = true;
	how->store = false;
	if (!met)
		return store_part(call, how);
	int status = baseline_load(met, how, &all);
	if (status != STATUS_OK)
		return status;
	how->met = &all;
	status = store_part(call, how);
	how->met = NULL;
	summary_free(&all);
	return status;
}

static int check_options(const struct invocation *call)
{
	const bool to_file = option_given(call, "output");
	if (option_given(call, "met") && !option_given(call, "part"))
		diag("--met needs --part");
	else if (option_given(call, "part") && !to_file)
		diag("--part needs -o FILE");
	else if (option_given(call, "time") && (!to_file || option_given(call, "part")))
		diag("--time needs -o FILE, without --part");
	else if (option_given(call, "add") && (!to_file || option_given(call, "part")))
		diag("--add needs -o FILE, without --part: a stretch of time is added to those in FILE");
	else if (option_given(call, "no-replay") && !to_file)
		diag("--no-replay needs -o FILE: what is stored in a run's directory is whole");
	else
		return STATUS_OK;
	return STATUS_USAGE;
}

/* Of an incomplete run there is no baseline: nothing would say so later. */
static int store_baseline(const struct invocation *call, struct reduce_options *how)
{
	const char *path = option_text(call, "output", "");
	struct reduction reduction;
	how->store = false;
	int status = reduce_run(call->operand, (size_t)call->operands, how, &reduction);
	if (status == STATUS_PARTIAL)
		diag("%s: the run is incomplete, so %s is not written", call->operand[0], path);
	if (status == STATUS_OK)
		status = baseline_store(path, how, &reduction.summary);
	if (status == STATUS_OK)
		diag("%zu devices reduced into %s        next: baton compare %s DIR",
			 reduction.summary.n_devices, path, shell_word(path).at);
	reduction_free(&reduction);
	return status;
}

static int reduce_time(const struct invocation *call, struct reduce_options *how)
{
	const struct stretch stretch = {.dirs = call->operand,
									.n_dirs = (size_t)call->operands,
									.path = option_text(call, "output", ""),
									.add = option_given(call, "add"),
									.rest = !option_given(call, "time")};
	int status = part_time_read(call, &how->only_time, &how->time);
	if (status == STATUS_OK && how->whole_run) {
		diag("--time chooses steps, and --steps none leaves none");
		status = STATUS_USAGE;
	}
	how->only_time = true;
	return status == STATUS_OK ? stretch_store(&stretch, how) : status;
}

static int run(const struct invocation *call)
{
	struct reduce_options how;
	int worst = reduce_options_read(call, false, &how);
	if (worst != STATUS_OK)
		return worst;
	worst = check_options(call);
	if (worst != STATUS_OK)
		return worst;
	how.fresh = how.must_store = true;
	how.no_replay = option_given(call, "no-replay");
	if (option_given(call, "part"))
		return reduce_part(call, &how);
	if (option_given(call, "time") || option_given(call, "add"))
		return reduce_time(call, &how);
	if (option_given(call, "output"))
		return store_baseline(call, &how);
	for (int i = 0; i < call->operands; i++) {
		struct reduction reduction;
		int status = reduce_run(&call->operand[i], 1, &how, &reduction);
		worst = status_worse(worst, status);
		if (status != STATUS_OK && status != STATUS_PARTIAL)
			continue;
		if (reduction.stored)
			diag("%zu devices, %llu records reduced into %s/summary.baton        next: baton "
				 "report %s",
				 reduction.summary.n_devices, (unsigned long long)reduction.summary.quality.records,
				 call->operand[i], shell_word(call->operand[i]).at);
		else if (status == STATUS_PARTIAL)
			diag("%s: the run is incomplete, so no summary is stored; baton report answers from "
				 "what is "
				 "there",
				 call->operand[i]);
		reduction_free(&reduction);
	}
	return worst;
}

static const struct named_text examples[] = {
	{"baton reduce runs/*", "Reduce many runs at once, so that each report answers at once."},
	{"baton reduce -o baseline.baton runs/a",
	 "A baseline to be kept in a repository: `baton compare baseline.baton runs/b`."},
	{"baton reduce --time 600..1200 --add -o all.summary runs/a",
	 "One stretch of time more in a summary of stretches."},
	{"baton reduce --part -o node0.part runs/a", "On a node: its own files, for `baton merge`."},
	{"baton reduce --part --met all.part -o node0.part runs/a",
	 "The same, once the parts of all nodes were merged into all.part."},
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{0},
};

const struct command command_reduce = {
	.name = "reduce",
	.operands = "DIR...",
	.least_operands = 1,
	.summary = "reduce runs to their summaries (report does this by itself)",
	.details =
		"Writes summary.baton into each directory, or with -o the summary of one run into "
		"FILE, which report and compare take in place of a directory. Status 4 as for baton "
		"report: some of "
		"the run is missing.\n"
		"\n"
		"With --part the DIRs hold the files of one node, or of some: FILE can be merged with "
		"the parts of the others (baton merge), and a report of it is one of these files. A "
		"part is not replayed, so a report names no culprits.\n"
		"\n"
		"With --time only the steps count that begin in these seconds, and --add adds them to a "
		"FILE\n"
		"with the stretches of time before: neighbouring stretches have no step in common. "
		"Nothing\n"
		"is replayed. Status 2 when the stretch begins before the end of those in FILE, 3 when no\n"
		"step begins in it.",
	.options = options,
	.examples = examples,
	.files = run_files,
	.choices = choices,
	.run = run,
};
