#include "reduce_options.h"

#include "base/diag.h"

#include <string.h>

int reduce_options_read(const struct invocation *call, bool view, struct reduce_options *options)
{
	*options = (struct reduce_options){.step_range = option_text(call, "step-range", NULL),
									   .steps = option_text(call, "steps", NULL),
									   .taxonomy = option_text(call, "taxonomy", NULL),
									   .store = true};
	if (view) {
		options->classes_file = option_text(call, "classes", NULL);
		options->fresh = option_given(call, "fresh");
	}
	if (!options->steps || strcmp(options->steps, "period") == 0)
		return STATUS_OK;
	diag("--steps knows 'period', not '%s'", options->steps);
	return STATUS_USAGE;
}
