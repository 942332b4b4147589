/* baton reduce: make the summary that the views read. They do it themselves when it is missing;
 * this one does it now. */
#include "base/diag.h"
#include "base/shell.h"
#include "commands.h"
#include "reduce.h"
#include "reduce_options.h"

static const struct option_spec options[] = {
	REDUCE_OPTION_ROWS,
	{0},
};

static int run(const struct invocation *call)
{
	struct reduce_options how;
	int worst = reduce_options_read(call, false, &how);
	if (worst != STATUS_OK)
		return worst;
	how.fresh = how.must_store = true;
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
	{0},
};
static const struct named_text files[] = {
	RUN_FILE_ROWS,
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
	.details = "Writes summary.baton into each directory. Status 4 as for baton report: some of "
			   "the run is missing.",
	.options = options,
	.examples = examples,
	.files = files,
	.choices = choices,
	.run = run,
};
