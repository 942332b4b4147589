#include "reduce_events.h"

#include "base/diag.h"
#include "reduce.h"

int reduce_events(const struct export_job *job, const struct reduce_options *callbacks)
{
	struct reduction reduction;
	struct reduce_options how = *job->how;
	how.store = callbacks->store && how.store;
	how.gaps = 0;
	how.no_replay = !callbacks->store;
	how.idle = callbacks->idle;
	how.idle_context = callbacks->idle_context;
	how.step = callbacks->step;
	how.step_context = callbacks->step_context;
	how.op = callbacks->op;
	how.op_context = callbacks->op_context;
	const int status = reduce_run(job->dirs, job->n_dirs, &how, &reduction);
	if (status == STATUS_OK || status == STATUS_PARTIAL)
		reduction_free(&reduction);
	return status;
}
