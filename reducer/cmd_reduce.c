/* baton reduce: make the summary that the views read. They do it themselves when it is missing;
 * this one does it now. */
#include "base/diag.h"
#include "commands.h"
#include "reduce.h"

static const struct option_spec options[] = {
	{"steps", 0, OPTION_TEXT, "MODE", "'period': find steps by periodicity instead of markers"},
	{"step-range", 0, OPTION_TEXT, "NAME", "steps are the ranges with this name"},
	{"taxonomy", 0, OPTION_TEXT, "NAME", "'seed': the four groups of the nvprof study"},
	{0},
};

static int run(const struct invocation *call)
{
	int worst = STATUS_OK;
	for (int i = 0; i < call->operands; i++) {
		struct reduction reduction;
		struct reduce_options how = {.step_range = option_text(call, "step-range", NULL),
									 .steps = option_text(call, "steps", NULL),
									 .taxonomy = option_text(call, "taxonomy", NULL),
									 .fresh = true,
									 .store = true,
									 .must_store = true};
		int status = reduce_run(&call->operand[i], 1, &how, &reduction);
		worst = status_worse(worst, status);
		if (status != STATUS_OK && status != STATUS_PARTIAL)
			continue;
		if (reduction.stored)
			diag("%zu devices, %llu records reduced into %s/summary.baton        next: baton "
				 "report %s",
				 reduction.summary.n_devices, (unsigned long long)reduction.summary.quality.records,
				 call->operand[i], call->operand[i]);
		else if (status == STATUS_PARTIAL)
			diag("%s: not whole, so no summary is stored; baton report answers from what is there",
				 call->operand[i]);
		reduction_free(&reduction);
	}
	return worst;
}

const struct command command_reduce = {
	.name = "reduce",
	.operands = "DIR...",
	.least_operands = 1,
	.summary = "reduce runs to their summaries (report does it by itself)",
	.details = "Writes summary.baton into each directory.",
	.options = options,
	.run = run,
};
