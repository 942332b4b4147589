/* baton merge: the parts that nodes reduced by themselves become one. */
#include "base/diag.h"
#include "base/shell.h"
#include "baseline.h"
#include "commands.h"
#include "merge.h"
#include "part.h"
#include "read/paths.h"
#include "reduce_options.h"
#include "summary/summary_io.h"

#include <string.h>
#include <sys/stat.h>

enum { OPTIONS_BYTES = 8192 };

static const struct option_spec options[] = {
	{"output", 'o', OPTION_TEXT, "FILE",
	 "where the merged part goes; a directory without traces gets a summary that baton report "
	 "takes"},
	REDUCE_OPTION_ROWS,
	{0},
};

/* A directory with traces is reduced from them: what is stored beside them has to be the same. */
static int check_directory(const char *dir)
{
	struct paths paths = {0};
	const int error = paths_add(&paths, dir, false);
	const bool has_traces = paths.n > 0;
	paths_free(&paths);
	if (!error && !has_traces)
		return STATUS_OK;
	if (error)
		diag("%s: %s", dir, strerror(-error));
	else
		diag("%s: it has traces, of which baton reduce makes its summary: name a file or another "
			 "directory",
			 dir);
	return STATUS_USAGE;
}

/* As the whole run, so nothing may be left to be known. */
static int store_in(const char *dir, const struct reduce_options *how, struct summary *sum)
{
	char text[OPTIONS_BYTES];
	const struct quality *q = &sum->quality;
	int status = check_directory(dir);
	if (status != STATUS_OK)
		return status;
	if (part_unmet(sum) || part_disagrees(sum) || q->truncated_files || q->unreadable_files) {
		diag("%s: nothing is written, as a summary there would not say what it lacks: name a file",
			 dir);
		return STATUS_PARTIAL;
	}
	reduce_options_text(how, text, sizeof(text));
	part_close(sum);
	const int error = summary_store(dir, sum, text);
	if (error)
		diag("%s: cannot write summary.baton: %s", dir, strerror(-error));
	return error ? STATUS_OUTPUT : STATUS_OK;
}

static int run(const struct invocation *call)
{
	const char *path = option_text(call, "output", NULL);
	struct reduce_options how;
	struct summary sum;
	struct stat is;
	if (!path) {
		diag("-o FILE is needed: where the merged part goes");
		return STATUS_USAGE;
	}
	int status = reduce_options_read(call, false, &how);
	if (status == STATUS_OK)
		status = merge_files(call->operand, (size_t)call->operands, &how, &sum);
	if (status != STATUS_OK)
		return status;
	const size_t devices = sum.n_scans;
	const bool to_dir = stat(path, &is) == 0 && S_ISDIR(is.st_mode);
	const int told = merge_status(path, &sum);
	status = to_dir ? store_in(path, &how, &sum) : baseline_store(path, &how, &sum);
	status = status_worse(status, told);
	if (status == STATUS_OK)
		diag("%zu devices of %d parts merged into %s        next: baton report %s", devices,
			 call->operands, path, shell_word(path).at);
	summary_free(&sum);
	return status;
}

static const struct named_text examples[] = {
	{"baton merge node*.part -o run.part", "The parts of all nodes; `baton report run.part`."},
	{"baton merge a.part b.part -o ab.part && baton merge ab.part c.part -o run.part",
	 "In any grouping and order: the same bytes."},
	{0},
};
static const struct named_text files[] = {
	{"PART",
	 "what `baton reduce --part -o PART` or `baton record --reduce` wrote, a merged one, or a "
	 "directory with such files (*.part)"},
	{0},
};
static const struct named_text choices[] = {
	REDUCE_CHOICE_ROWS,
	{0},
};

const struct command command_merge = {
	.name = "merge",
	.operands = "PART...",
	.least_operands = 1,
	.summary = "merge the parts that nodes reduced by themselves",
	.details =
		"Each node reduces its own files (baton reduce --part), and only the parts travel. What\n"
		"comes out is a part again. Order and grouping change nothing, not a byte.\n"
		"\n"
		"A node alone does not know when the others entered a collective. The merged part does:\n"
		"give it back to the nodes (baton reduce --part --met) and merge what they make then.\n"
		"That is the summary of all files reduced together, but for the replay: it names no\n"
		"culprits (baton reduce --no-replay -o makes the same). Until then waits and transfers of\n"
		"collectives between nodes are one number, and merge and report say so with status 4.\n"
		"\n"
		"Status 2 when the parts do not fit together: a device in two of them, another run, other\n"
		"--steps, --step-range or --taxonomy; 3 when one is damaged or of another version.",
	.options = options,
	.examples = examples,
	.files = files,
	.choices = choices,
	.run = run,
};
