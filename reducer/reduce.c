/* The pipe, as far as the summary: the run is opened (run_open), each device is scanned, and when
 * all were, each is attributed (device.h), or both at once (one_visit.h), on as many threads as
 * there are cores (visits.h). Views take it from there. */
#include "reduce.h"

#include "baseline.h"
#include "reduce_options.h"

#include "attribute/consensus.h"
#include "attribute/generations.h"
#include "attribute/named_steps.h"
#include "attribute/readings.h"
#include "attribute/run_study.h"
#include "base/diag.h"
#include "base/progress.h"
#include "classify/class_cache.h"
#include "read/salvage.h"
#include "conclude/figures.h"
#include "graph/host_clocks.h"
#include "graph/replayed.h"
#include "graph/verdict.h"
#include "conclude/finding_text.h"
#include "describe.h"
#include "merge.h"
#include "one_study.h"
#include "one_visit.h"
#include "part.h"
#include "part_wanted.h"
#include "read/run.h"
#include "share.h"
#include "summary/summary_io.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEPT_BYTES = 4 << 20 };

/* What one device freed the next one takes: fresh pages cost more than what is done in them. */
static void keep_freed_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
	mallopt(M_TRIM_THRESHOLD, 4 * KEPT_BYTES);
}

/* What one pass over all devices reads: a process that drives several is read for each. */
static uint64_t bytes_of(const struct run *run)
{
	uint64_t bytes = 0;
	for (size_t i = 0; i < run->n_devices; i++)
		for (uint32_t p = 0; p < run->devices[i].n_processes; p++)
			bytes += run_process_bytes(&run->processes[run->devices[i].processes[p]]);
	return bytes;
}

/* Steps by periodicity that the devices do not agree on are chosen again by all together. */
static int agree_on_steps(struct work *work)
{
	int error = 0;
	if (!consensus_needed(work->scans, work->n))
		return 0;
	work->proposals = calloc(work->n, sizeof(*work->proposals));
	work->given = calloc(work->n, sizeof(*work->given));
	if (!work->proposals || !work->given)
		error = -ENOMEM;
	if (!error)
		error = run_workers(work, PHASE_PROPOSE);
	error = share_proposals(work->context->run, work->proposals, error);
	if (!error) {
		consensus_choose(work->scans, work->n, work->proposals, work->given);
		progress_expect(bytes_of(work->context->run));
		error = run_workers(work, PHASE_RESCAN);
		error = share_scans(work->context->run, work->scans, error);
	}
	return error;
}

static void free_work(struct work *work)
{
	for (size_t i = 0; work->proposals && i < work->n; i++)
		proposals_free(&work->proposals[i]);
	free(work->proposals);
	free(work->given);
	for (size_t i = 0; i < work->n; i++)
		device_scan_free(work->context, &work->scans[i]);
	free(work->scans);
	pthread_mutex_destroy(&work->lock);
}

/* For who asks what the run would have been. */
static int replay(const struct device_context *context, const struct device_scan *scans)
{
	const struct reduce_options *options = context->options;
	struct replayed replayed;
	progress_end(); /* the answer is printed from in there */
	int error =
		replayed_open(&replayed, context, scans, &(struct sample_size){options->replay_steps, 1});
	if (error > 0)
		return options->replay(NULL, options->replay_context);
	if (error == -E2BIG) {
		diag("no replay: a process has more calls, threads, streams or sleeps than it takes");
		return -ENOTRECOVERABLE;
	}
	if (error)
		return error;
	error = options->replay(&replayed, options->replay_context);
	replayed_close(&replayed);
	return error;
}

/* Between the visits: what a device has to know of the others. */
static int settle_devices(struct work *work, struct device_context *context, bool told)
{
	int error = context->options->part
					? part_exchange(context, work->scans, context->generations, &work->out->summary)
					: agree_on_steps(work);
	if (!error)
		error = share_meetings(context, error);
	if (!error && !told)
		error = collectives_settle(context->collectives);
	return error ? error : readings_take(context->run, work->scans, work->n);
}

static int replay_devices(const struct work *work, struct summary *summary)
{
	const struct reduce_options *options = work->context->options;
	if (options->replay)
		return replay(work->context, work->scans);
	return options->no_replay || options->part ? 0
											   : verdict_add(work->context, work->scans, summary);
}

/* All devices are seen by the study, and nothing is reduced. */
static int study_devices(struct work *work)
{
	const struct run_study *study = work->context->options->study;
	int error = agree_on_steps(work);
	if (!error)
		error = study->begin(study->of, work->context, work->scans);
	if (!error)
		error = run_workers(work, PHASE_STUDY);
	return error ? error : study->end(study->of, work->context, work->scans);
}

/* `told`: a scan has been made, but not more, and collectives are settled. */
static int visit_twice(struct work *work, struct device_context *context, bool told, int error)
{
	bool done = false;
	if (!error)
		progress_expect(bytes_of(context->run));
	if (!error && context->options->study)
		error = one_study(work, context, &told, &done);
	if (done)
		return error;
	if (!error && !told)
		error = run_workers(work, PHASE_SCAN);
	error = share_scans(work->context->run, work->scans, error);
	if (error)
		return error;
	if (context->options->study)
		return study_devices(work);
	error = settle_devices(work, context, told);
	if (!error)
		error = run_workers(work, PHASE_ATTRIBUTE);
	return share_summary(&work->out->summary, context->run->damage, error);
}

static int visit_devices(struct work *work, struct device_context *context, int error)
{
	bool told = false, done = false;
	if (!error && one_visit_fits(work))
		error = one_visit(work, context, &told, &done);
	if (!done)
		error = visit_twice(work, context, told, error);
	return error || context->options->study ? error : replay_devices(work, &work->out->summary);
}

static int reduce_devices(struct device_context *context, struct reduction *out)
{
	keep_freed_memory();
	struct work work = {.context = context, .out = out, .n = context->run->n_devices};
	struct generations generations;
	work.scans = calloc(work.n + 1, sizeof(*work.scans));
	int error = share_error(work.scans ? 0 : -ENOMEM);
	if (error) {
		free(work.scans);
		return error;
	}
	for (size_t i = 0; i < work.n; i++)
		work.scans[i] = (struct device_scan){/* of those too that another process visits */
											 .device = (uint32_t)i,
											 .open_ns = INT64_MAX};
	pthread_mutex_init(&work.lock, NULL);
	error = generations_find(context, &generations);
	context->generations = &generations;
	out->left_out_ns = generations.left_out_ns;
	error = visit_devices(&work, context, error);
	for (size_t i = 0; i < work.n; i++) {
		out->by_period |= work.scans[i].by_period && work.scans[i].steps.n_steps > 0;
		out->by_optimizer |= work.scans[i].by_optimizer;
		if (work.scans[i].open_ns < out->open_ns)
			out->open_ns = work.scans[i].open_ns;
	}
	free_work(&work);
	generations_free(&generations);
	context->generations = NULL;
	return error;
}

/* The part of a status that a stored summary remembers too. */
static int status_of(const char *dir, const struct summary *summary)
{
	const struct run_summary *run = &summary->run;
	const struct quality *q = &summary->quality;
	char ranks[MISSING_RANKS_BYTES];
	int status =
		q->truncated_files || q->unreadable_files || q->in_flight ? STATUS_PARTIAL : STATUS_OK;
	if (q->in_flight)
		diag("%s: %llu GPU records were in flight when the job ended; answered without them", dir,
			 (unsigned long long)q->in_flight);
	if (q->replays_refused)
		diag("%s: no gains: a process has more calls, threads, streams or sleeps than a replay "
			 "takes",
			 dir);
	if (run->n_missing_ranks == 0)
		return status;
	if (run->n_missing_ranks == 1)
		diag("%s: rank %d of %d has no file; answered from %u rank%s", dir, run->missing_ranks[0],
			 run->world_size, run->n_ranks, run->n_ranks == 1 ? "" : "s");
	finding_missing_ranks(run, ranks);
	if (run->n_missing_ranks > 1)
		diag("%s: %u of %d ranks have no file (%s); answered from %u rank%s", dir,
			 run->n_missing_ranks, run->world_size, ranks, run->n_ranks,
			 run->n_ranks == 1 ? "" : "s");
	return STATUS_PARTIAL;
}

static bool may_use_stored(size_t n_dirs, const struct reduce_options *options)
{
	bool long_name =
		options->step_range && strlen(options->step_range) > 4096; /* not stored either */
	return n_dirs == 1 && !options->fresh && !options->part && !options->last_ns &&
		   !options->opened && options->gaps == 0 && !options->idle && !options->step &&
		   !options->op && !options->replay && !options->study && !options->classes_file &&
		   !part_is_asked(options) && !long_name;
}

/* A process that was killed may have launched a lot before its first GPU record was delivered. */
static void say_nothing_ran(const struct run *run, const char *dir)
{
	unsigned long long lost = 0;
	for (size_t i = 0; i < run->n_processes; i++)
		lost += run->processes[i].losses[BATON_LOSS_IN_FLIGHT];
	if (lost)
		diag("%s: its GPU records were lost (%llu in flight when the job ended): nothing to report",
			 dir, lost);
	else
		diag("%s: no GPU work in it: nothing to report", dir);
}

/* Each device is read once, or scanned and then attributed. */
static void begin_progress(const struct run *run)
{
	char what[96] = "reduce";
	if (run->n_processes) {
		const char *path = run->processes[0].path, *slash = strrchr(path, '/');
		snprintf(what, sizeof(what), "reduce %.*s", slash ? (int)(slash - path) : 0, path);
	}
	progress_begin(what, NULL, bytes_of(run));
}

/* How well the clocks of hosts can be aligned. No time of the summary depends on it. */
static int look_at_clocks(const struct run *run, const struct reduce_options *options,
						  struct quality *q)
{
	struct clock_state state;
	if (options->no_replay || options->part || options->study || options->replay)
		return 0;
	const int error = host_clocks_look(run, &state);
	if (error || state.n_hosts < 2)
		return error;
	const bool loose = state.residual_ns > HOST_CLOCKS_WORST_NS;
	q->clock_residual_ns = state.n_lost || loose ? -1 : state.residual_ns;
	q->clock_jumps = state.n_jumps;
	q->clocks_apart = loose ? state.n_hosts : state.n_lost;
	return 0;
}

static int reduce_opened(struct device_context *context, struct classifier *classifier,
						 struct reduction *out)
{
	int error = class_cache_open(classifier, &context->classes);
	if (!error)
		error = collectives_open(&context->collectives);
	if (!error)
		error = period_memo_open(&context->periods);
	error = share_error(error);
	if (error)
		return error;
	begin_progress(context->run);
	error = reduce_devices(context, out);
	progress_end();
	const struct reduce_options *options = context->options;
	if (error || (out->summary.n_devices == 0 && !options->part && !options->study))
		return error;
	error = describe_run(context->run, context->options, out);
	if (!error && context->options->part)
		return part_finish(&out->summary, context->options);
	if (!error)
		error = look_at_clocks(context->run, options, &out->summary.quality);
	if (!error)
		summary_sort(&out->summary);
	return error;
}

static int reduce_fresh(char *const *dirs, size_t n_dirs, const struct reduce_options *asked,
						struct classifier *classifier, struct reduction *out)
{
	struct run run;
	struct reduce_options options = *asked;
	struct device_context context = {.run = &run, .options = &options};
	struct host_names *names = NULL;
	struct step_range *step_range = NULL;
	int status = run_open(dirs, n_dirs, &run);
	const int other = share_run(&run, status);
	if (other) {
		run_close(&run);
		return other == -ECANCELED ? STATUS_USAGE : STATUS_INPUT;
	}
	if (status == STATUS_INPUT || status == STATUS_USAGE)
		return status;
	out->left_out = run.left_out;
	if (options.last_ns)
		run_keep_last(&run, options.last_ns);
	if (options.opened)
		options.opened(&run, options.opened_context);
	if (part_is_absent(&run, dirs[0], &options)) {
		run_close(&run);
		return STATUS_INPUT;
	}
	options.part |= options.part_if_missing && describe_lacks_ranks(&run);
	int refused = share_status(named_steps_open(&run, options.step_range, dirs[0], &step_range));
	if (refused) {
		step_range_close(step_range);
		run_close(&run);
		return refused;
	}
	context.step_range = step_range;
	int error = options.only_time ? part_settle_time(&run, &options.time) : 0;
	if (!error)
		error = host_names_open(classifier_user_rules(classifier), &names);
	error = share_error(error);
	context.names = names;
	if (!error)
		error = reduce_opened(&context, classifier, out);
	if (error == -ECANCELED) {
		status = STATUS_USAGE;
	} else if (error) {
		if (error != -ENOTRECOVERABLE) /* said where it was found */
			diag("%s: %s", dirs[0], strerror(-error));
		status = STATUS_INPUT;
	} else if (out->summary.n_devices == 0 && !options.study && !part_is(&out->summary)) {
		if (options.only_steps || options.only_time)
			part_say_no_step(&options, dirs[0]);
		else
			say_nothing_ran(&run, dirs[0]);
		status = STATUS_INPUT;
	}
	collectives_close(context.collectives);
	period_memo_close(context.periods);
	class_cache_close(context.classes);
	host_names_close(names);
	step_range_close(step_range);
	run_close(&run);
	return status;
}

/* Where the answer comes from. */
enum answer { FROM_TRACES, FROM_STORED, FROM_FILE, FROM_PARTS };

static enum answer choose_answer(char *const *dirs, size_t n_dirs)
{
	if (n_dirs == 1 && run_is_summary(dirs[0]))
		return FROM_FILE;
	return n_dirs == 1 && merge_has_parts(dirs[0]) ? FROM_PARTS : FROM_TRACES;
}

/* What processes had in shared memory that ended without closing their traces (a kill, a full disk),
 * when this is their host. */
static int salvage(char *const *dirs, size_t n_dirs)
{
	int status = STATUS_OK;
	for (size_t i = 0; i < n_dirs; i++) {
		struct salvage_result result = {0};
		char *absolute = realpath(dirs[i], NULL);
		if (absolute && salvage_directory(absolute, &result) == 0 && result.files)
			diag("%s: %llu records of %u %s were taken from shared memory", dirs[i],
				 (unsigned long long)result.slots, result.files,
				 result.files == 1 ? "process that ended without closing its trace"
								   : "processes that ended without closing their traces");
		status = result.failed ? STATUS_PARTIAL : status;
		free(absolute);
	}
	return status;
}

/* A stored summary, a directory of parts or, as what it had stored is fresh, of traces. */
static int answer_without(enum answer from, char *dir, const struct reduce_options *options,
						  struct reduction *out)
{
	int status = STATUS_OK;
	out->no_events = from == FROM_FILE || from == FROM_PARTS;
	if (from == FROM_FILE)
		status = baseline_load(dir, options, &out->summary);
	else if (from == FROM_PARTS)
		status = merge_files(&dir, 1, options, &out->summary);
	if (status != STATUS_OK)
		return status;
	if (out->summary.n_devices == 0) { /* a node's part may be so */
		diag("%s: no GPU work in it: nothing to report", dir);
		reduction_free(out);
		return STATUS_INPUT;
	}
	status = status_of(dir, &out->summary);
	if (from != FROM_STORED) /* it may be a part */
		status = status_worse(status, merge_status(dir, &out->summary));
	return status;
}

static int open_classifier(const struct reduce_options *options, struct classifier **classifier)
{
	char message[512];
	*classifier = NULL;
	const int error = classifier_open(options->taxonomy, options->classes_file, message,
									  sizeof(message), classifier);
	if (error)
		diag("%s", message);
	const int status = share_status(error ? (int)STATUS_USAGE : 0);
	if (!error && status != STATUS_OK)
		classifier_close(*classifier);
	return status;
}

int reduce_run(char *const *dirs, size_t n_dirs, const struct reduce_options *options,
			   struct reduction *out)
{
	char text[8192];
	struct classifier *classifier;
	int from = (int)FROM_TRACES, salvaged = STATUS_OK;
	*out = (struct reduction){.open_ns = INT64_MAX};
	if (share_refuses(options))
		return STATUS_USAGE;
	reduce_options_text(options, text, sizeof(text));
	if (share_is_first() && !options->opened && !options->last_ns)
		from = (int)choose_answer(dirs, n_dirs);
	if (share_is_first() && from == FROM_TRACES) {
		salvaged = options->only_read ? (int)STATUS_OK : salvage(dirs, n_dirs);
		if (may_use_stored(n_dirs, options) && summary_load(dirs[0], text, &out->summary) == 0)
			from = FROM_STORED;
	}
	if (share_decision(from, &from) != 0) {
		reduction_free(out);
		return STATUS_INPUT;
	}
	if ((from == FROM_FILE || from == FROM_PARTS) && part_is_asked(options)) {
		diag("%s: it holds sums of the whole run: --rank, --device, --step and --time need its "
			 "traces",
			 dirs[0]);
		share_leave();
		reduction_free(out);
		return STATUS_USAGE;
	}
	if (from != FROM_TRACES) {
		share_leave();
		return status_worse(salvaged, answer_without(from, dirs[0], options, out));
	}
	int status = open_classifier(options, &classifier);
	if (status != STATUS_OK)
		return status;
	status = summary_init(&out->summary) ? STATUS_INPUT
										 : reduce_fresh(dirs, n_dirs, options, classifier, out);
	classifier_close(classifier);
	if (status == STATUS_INPUT || status == STATUS_USAGE) {
		reduction_free(out);
		return status;
	}
	/* What made this run partial is said at every reading: such a run is not stored. */
	bool whole = status == STATUS_OK && out->summary.quality.truncated_files == 0;
	status = status_worse(status, salvaged);
	if (part_is(
			&out->summary)) /* of a part ranks are missing, and what is lost is said when it is read */
		return status;
	status = status_worse(status, status_of(dirs[0], &out->summary));
	if (options->store && whole && !options->last_ns && n_dirs == 1 && !options->classes_file) {
		int error = summary_store(dirs[0], &out->summary, text);
		out->stored = error == 0;
		if (error && options->must_store) {
			diag("%s: cannot write summary.baton: %s", dirs[0], strerror(-error));
			status = status_worse(status, STATUS_OUTPUT);
		}
	}
	return status;
}
