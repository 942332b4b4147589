#include "one_study.h"

#include "attribute/consensus.h"
#include "attribute/run_study.h"
#include "one_visit.h"
#include "share.h"

static bool fits(const struct work *work)
{
	const bool can = work->context->options->study->begin_early != NULL;
	return can && share_is_alone() && work->n > 1 && one_visit_pairs(work->context->run);
}

/* *begun: the first device has steps by periodicity, and the study has begun with them. */
static int begin(struct work *work, struct device_context *context, bool *begun)
{
	const struct run_study *study = context->options->study;
	struct device_scan *first = &work->scans[0];
	int error = device_scan(context, 0, NULL, first);
	*begun = false;
	if (error)
		return error;
	if (!first->empty && first->by_period && first->steps.n_steps)
		error = study->begin_early(study->of, context, first);
	else
		error = 1;
	*begun = error == 0;
	if (error == 1) {
		device_scan_free(context, first);
		*first = (struct device_scan){.device = 0, .open_ns = INT64_MAX};
	}
	return error == 1 ? 0 : error;
}

int one_study(struct work *work, struct device_context *context, bool *scanned, bool *done)
{
	const struct run_study *study = context->options->study;
	*scanned = *done = false;
	if (!fits(work))
		return 0;
	int error = begin(work, context, scanned);
	if (error || !*scanned)
		return error;
	error = run_workers(work, PHASE_STUDY_ONCE);
	if (error)
		return error;
	const bool agrees = !consensus_needed(work->scans, work->n);
	error = study->settle(study->of, context, agrees ? work->scans : NULL);
	*done = error == 0;
	return error == 1 ? 0 : error ? error : study->end(study->of, context, work->scans);
}
