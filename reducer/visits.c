#include "visits.h"

#include "attribute/device_open.h"
#include "attribute/kept_ops.h"
#include "attribute/run_study.h"
#include "attribute/consensus.h"
#include "attribute/worst_gaps.h"
#include "part_wanted.h"
#include "share.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

/* Keeps the worst of both lists. */
static int merge_gaps(struct reduction *into, struct reduction *from, uint32_t room,
					  const char *leaf)
{
	if (from->n_gaps == 0)
		return 0;
	struct gap_proof *all = malloc((into->n_gaps + from->n_gaps) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	size_t i = 0, k = 0, n = 0;
	while (n < room && (i < into->n_gaps || k < from->n_gaps)) {
		bool take_from =
			i == into->n_gaps ||
			(k < from->n_gaps && gap_proof_worse(&from->gaps[k], &into->gaps[i], leaf));
		all[n++] = take_from ? from->gaps[k++] : into->gaps[i++];
	}
	free(into->gaps);
	into->gaps = all;
	into->n_gaps = n;
	return 0;
}

/* What one thread made of its devices joins the rest. */
static int join_part(struct work *work, struct reduction *part)
{
	const struct reduce_options *options = work->context->options;
	pthread_mutex_lock(&work->lock);
	int error = summary_merge(&work->out->summary, &part->summary);
	if (!error)
		error = merge_gaps(work->out, part, options->gaps, options->gaps_leaf);
	pthread_mutex_unlock(&work->lock);
	return error;
}

static int foresee(struct work *work, const struct device_context *context, size_t i)
{
	bool fits;
	if (!atomic_load(&work->foreseeable))
		return 0;
	int error = foreseen_tell(context, (uint32_t)i, &work->foreseen[i], &fits);
	if (!error && !fits)
		atomic_store(&work->foreseeable, false);
	return error;
}

static int visit_once(struct work *work, const struct device_context *context, size_t i,
					  struct reduction *part)
{
	const struct device_once once = {(uint32_t)i, &work->foreseen[i],
									 part_wants(context->run, i, context->options)};
	if (!atomic_load(&work->foreseeable))
		return 0;
	int error = device_visit(context, &once, &work->scans[i], part);
	if (work->scans[i].surprise)
		atomic_store(&work->foreseeable, false);
	return error;
}

/* Device 0 has been scanned. */
static int study_once(struct work *work, const struct device_context *context, size_t i)
{
	const struct run_study *study = context->options->study;
	const struct device_once once = {.device = (uint32_t)i};
	struct device_scan *scan = &work->scans[i];
	struct device_feeds feeds = {0};
	int error = i ? device_scan_keep(context, &once, scan, &feeds) : 0;
	const bool kept = feeds.stream.kept != NULL;
	if (!error && !scan->empty && kept)
		error = study->visit_kept(study->of, scan, &feeds);
	device_feeds_close(&feeds);
	return error || scan->empty || kept ? error : study->visit(study->of, context, scan);
}

static int visit(struct work *work, const struct device_context *context, size_t i,
				 struct reduction *part)
{
	struct device_scan *scan = &work->scans[i];
	if (!share_has(i))
		return 0;
	if (work->phase == PHASE_FORESEE)
		return foresee(work, context, i);
	if (work->phase == PHASE_BOTH)
		return visit_once(work, context, i, part);
	if (work->phase == PHASE_STUDY_ONCE)
		return study_once(work, context, i);
	if (work->phase == PHASE_SCAN)
		return device_scan(context, (uint32_t)i, NULL, scan);
	if (work->phase == PHASE_PROPOSE)
		return consensus_propose(context, scan, &work->proposals[i]);
	if (scan->empty)
		return 0;
	if (work->phase == PHASE_STUDY)
		return context->options->study->visit(context->options->study->of, context, scan);
	if (work->phase == PHASE_ATTRIBUTE && !part_wants(context->run, i, context->options))
		return 0;
	if (work->phase == PHASE_ATTRIBUTE)
		return device_attribute(context, scan, part);
	device_scan_free(context, scan);
	return device_scan(context, (uint32_t)i, &work->given[i], scan);
}

static void *worker(void *argument)
{
	struct work *work = argument;
	struct reduction part = {0};   /* of this thread: devices add up in it */
	struct corr_store store = {0}; /* likewise */
	struct kept_ops kept;
	struct device_context context = *work->context;
	context.store = &store;
	context.kept = &kept;
	int error = summary_init(&part.summary);
	kept_ops_open(&kept, kept_ops_most(work->threads, work->n));
	for (size_t i; !error && (i = atomic_fetch_add(&work->next, 1)) < work->n;)
		error = visit(work, &context, i, &part);
	if (!error && (work->phase == PHASE_ATTRIBUTE || work->phase == PHASE_BOTH))
		error = join_part(work, &part);
	if (error)
		atomic_store(&work->error, error);
	reduction_free(&part);
	corr_store_free(&store);
	kept_ops_free(&kept);
	return NULL;
}

/* Cores that this process may run on: a part of the machine's where a scheduler gave it so many. */
static size_t count_cores(void)
{
	cpu_set_t may; /* a machine may have more than it has room for */
	bool known = sched_getaffinity(0, sizeof(may), &may) == 0;
	long cores = known ? CPU_COUNT(&may) : sysconf(_SC_NPROCESSORS_ONLN);
	return cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : (size_t)cores;
}

int run_workers(struct work *work, enum phase phase)
{
	pthread_t threads[MAX_THREADS];
	size_t n = count_cores();
	const struct reduce_options *options = work->context->options;
	n = options->threads && n > options->threads ? options->threads : n;
	if (phase == PHASE_ATTRIBUTE && (options->idle || options->step || options->op))
		n = 1; /* device by device */
	work->phase = phase;
	atomic_store(&work->next, 0);
	size_t started = 0;
	n = n < work->n ? n : work->n;
	work->threads = n ? n : 1;
	for (; started + 1 < n; started++)
		if (pthread_create(&threads[started], NULL, worker, work) != 0)
			break;
	worker(work); /* this thread works too */
	for (size_t i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return atomic_load(&work->error);
}
