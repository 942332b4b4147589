/* baton import: traces of other profilers become a run directory. */
#include "base/diag.h"
#include "cli/command.h"
#include "import_files.h"

static int run_import(const struct invocation *call)
{
	const long long rank = option_number(call, "rank", -1);
	if (!option_given(call, "output")) {
		diag("import: -o DIR is missing");
		return STATUS_USAGE;
	}
	if (option_given(call, "rank") && (rank < 0 || rank > INT32_MAX)) {
		diag("import: --rank must be 0 or more");
		return STATUS_USAGE;
	}
	return (int)import_files(&(struct import_request){.paths = call->operand,
													  .n_paths = (size_t)call->operands,
													  .out_dir = option_text(call, "output", ""),
													  .rank = (int32_t)rank,
													  .force = option_given(call, "force")});
}

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, "DIR", "write the traces into this directory"},
	{"force", 'f', OPTION_FLAG, NULL, "replace the traces the directory already holds"},
	{"rank", 0, OPTION_NUMBER, "N", "the rank of a single file that does not name it"},
	{NULL, 0, OPTION_FLAG, NULL, NULL},
};

static const struct named_text examples[] = {
	{"baton import trace.json.gz -o runs/x", "A trace of the PyTorch profiler."},
	{"baton import traces/ -o runs/x", "All ranks of a job: one file each in a directory."},
	{"ssh node cat trace.json.gz | baton import - -o runs/x", "A trace that comes from a pipe."},
	{"nsys export -t sqlite -o job.sqlite job.nsys-rep && baton import job.sqlite -o runs/x",
	 "A report of Nsight Systems; with nsys in PATH it can be imported as it is."},
	{"nvprof --csv --print-gpu-trace --print-api-trace --log-file job.csv JOB && baton import "
	 "job.csv -o runs/x",
	 "The tables of nvprof."},
	{0},
};
static const struct named_text files[] = {
	{"DIR/*.baton", "one trace for each process of the profile"},
	{0},
};

const struct command command_import = {
	.name = "import",
	.operands = "FILE|DIR...",
	.least_operands = 1,
	.summary =
		"read traces of the PyTorch profiler (Kineto JSON, gz or plain), nsys (SQLite) and nvprof "
		"(CSV)",
	.details =
		"Each file is one process (nsys, nvprof: one or more) and becomes one trace in DIR. In a "
		"directory, baton imports all files that look like such traces. FILE may be `-`: "
		"standard input. Offsets in messages about JSON count the text after decompression. Times "
		"are kept to the "
		"nanosecond; further digits are rounded. Events more than 12 hours from the "
		"others, and durations below 0 or above 7 days, are refused and counted.\n\nOne "
		"import is one run: a second file of a rank or a process, and files of another "
		"world size or more than 12 hours away, are left out with a message and status 4. "
		"Ranks without a file are named.",
	.options = options,
	.examples = examples,
	.files = files,
	.run = run_import,
};
