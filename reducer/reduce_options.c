#include "reduce_options.h"

#include "base/diag.h"

#include <stdio.h>
#include <string.h>

const struct named_text run_files[] = {
	{"DIR/*.baton", "the traces of the run, one for each process that was recorded"},
	{"DIR/summary.baton", "what the run was reduced to; made again when it is stale"},
	{0},
};
const struct named_text view_environment[] = {
	{"COLUMNS", "the width of the text, 40 to 100 columns (default: the terminal's, or 100)"},
	{0},
};

int reduce_options_steps(const struct invocation *call, struct reduce_options *options)
{
	const char *steps = option_text(call, "steps", NULL);
	options->step_range = option_text(call, "step-range", NULL);
	options->by_period = steps && strcmp(steps, "period") == 0;
	options->whole_run = steps && strcmp(steps, "none") == 0;
	if (!steps || options->by_period || options->whole_run)
		return STATUS_OK;
	diag("--steps must be 'period' or 'none', not '%s'", steps);
	return STATUS_USAGE;
}

int reduce_options_read(const struct invocation *call, bool view, struct reduce_options *options)
{
	*options =
		(struct reduce_options){.taxonomy = option_text(call, "taxonomy", NULL), .store = true};
	if (view) {
		options->classes_file = option_text(call, "classes", NULL);
		options->fresh = option_given(call, "fresh");
	}
	return reduce_options_steps(call, options);
}

void reduce_options_text(const struct reduce_options *options, char *text, size_t bytes)
{
	const char *steps = options->by_period ? "period" : options->whole_run ? "none" : NULL;
	const char *fields[] = {steps, options->step_range, options->taxonomy};
	size_t used = 0;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && used < bytes; i++)
		used += (size_t)snprintf(text + used, bytes - used, "%zu:%s;",
								 fields[i] ? strlen(fields[i]) : 0, fields[i] ? fields[i] : "");
}
