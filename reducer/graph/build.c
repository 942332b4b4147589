#include "graph/build.h"

#include "base/sort.h"
#include "graph/arrivals.h"
#include "graph/bundles.h"
#include "graph/events.h"
#include "graph/joins.h"
#include "graph/ops.h"
#include "graph/process.h"
#include "graph/threads.h"
#include "graph/waits.h"

#include <errno.h>
#include <stdlib.h>

enum { BUNDLED_NODES = 3500000 }; /* about 130 bytes each, with their edges */

static int link_process(struct process *p, struct model *model)
{
	struct arrivals arrivals = {0};
	const size_t from_amount = model->n_amounts;
	ops_note_sequences(p, model);
	int error = p->sample->bundle > 1 ? bundles_make(p, p->sample->bundle) : 0;
	error = error ? error : ops_open(p, model);
	error = error ? error : threads_open(p, model);
	error = error ? error : bundles_link(p, model);
	error = error ? error : threads_link(p, model);
	error = error ? error : waits_link(p, model, from_amount);
	error = error ? error : arrivals_of_streams(&arrivals, model, p);
	error = error ? error : events_arrive(p, &arrivals);
	error = error ? error : arrivals_link(&arrivals, p, model);
	error = error ? error : ops_note(p, model);
	error = error ? error : threads_compare(p, model);
	free(arrivals.at);
	return error;
}

/* Of bundles there are few, unless the calls are such that hardly any can be made. */
static bool is_too_large(const struct model *model, const struct sample *sample)
{
	return sample->bundle > 1 && model->graph.n_nodes > BUNDLED_NODES;
}

static int add_process(struct model *model, const struct sample *sample, uint32_t index)
{
	struct process process;
	int error = process_open(&process, model, sample, index);
	if (error)
		return error > 0 ? 0 : error;
	error = link_process(&process, model);
	process_close(&process);
	return !error && is_too_large(model, sample) ? -E2BIG : error;
}

static int by_place(const void *a, const void *b)
{
	const struct wait *x = *(struct wait *const *)a, *y = *(struct wait *const *)b;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	if (x->step != y->step)
		return x->step < y->step ? -1 : 1;
	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

/* The last wait of a step, where a loop reads its loss. */
static int find_last_waits(struct model *model)
{
	struct wait **waits = malloc((model->n_waits + 1) * sizeof(*waits));
	size_t n = 0;
	if (!waits)
		return -ENOMEM;
	for (size_t i = 0; i < model->n_waits; i++)
		if (model->waits[i].site != WAIT_FREE)
			waits[n++] = &model->waits[i];
	sort_rows(waits, n, sizeof(*waits), by_place);
	for (size_t i = 0; i < n; i++) {
		const bool last = i + 1 == n || waits[i + 1]->process != waits[i]->process ||
						  waits[i + 1]->step != waits[i]->step;
		if (last && waits[i]->site == WAIT_MID)
			waits[i]->site = WAIT_END;
	}
	free(waits);
	return 0;
}

int model_build(struct model *model, struct sample *sample)
{
	const size_t n = sample->context->run->n_processes;
	int error = 0;
	*model = (struct model){.n_steps = sample->n_steps, .n_hosts = sample->n_hosts};
	if (sample->n_hosts > 1)
		error = sample_align(sample);
	for (uint32_t i = 0; !error && i < n; i++)
		error = add_process(model, sample, i);
	error = error ? error : joins_link(model);
	error = error ? error : find_last_waits(model);
	return error ? error : model_seal(model);
}
