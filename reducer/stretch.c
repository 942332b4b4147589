#include "stretch.h"

#include "base/diag.h"
#include "base/shell.h"
#include "baseline.h"
#include "conclude/figures.h"
#include "reduce.h"
#include "summary/stretches.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* *sum: the stretches before, or none yet. An enum status. */
static int load_before(const struct stretch *stretch, const struct reduce_options *how,
					   struct summary *sum)
{
	const struct reduce_options plain = {
		.by_period = how->by_period, .step_range = how->step_range, .taxonomy = how->taxonomy};
	if (!stretch->add || access(stretch->path, F_OK) != 0)
		return summary_init(sum) ? STATUS_INPUT : STATUS_OK;
	const int status = baseline_load(stretch->path, &plain, sum);
	if (status != STATUS_OK || stretches_are(sum))
		return status;
	diag("%s: a summary of a whole run, to which no stretch of time can be added", stretch->path);
	summary_free(sum);
	return STATUS_USAGE;
}

/* No instant may count twice. */
static int check_order(const char *path, const struct summary *sum, const struct summary *next)
{
	const int64_t over_ns = sum->quality.stretches_to_ns - next->quality.stretches_from_ns;
	if (sum->quality.stretches == 0 || over_ns <= 0)
		return STATUS_OK;
	diag("%s: the stretches in it end %.3f s after this one begins: its steps would count twice",
		 path, (double)over_ns * 1e-9);
	return STATUS_USAGE;
}

static int check_run(const char *path, const struct summary *sum, const struct summary *next)
{
	const char *was = summary_text(sum, sum->run.run_id);
	const char *is = summary_text(next, next->run.run_id);
	if (sum->quality.stretches == 0 || strcmp(was, is) == 0)
		return STATUS_OK;
	diag("%s: the stretches in it are of run '%s', and this one is of run '%s'", path, was, is);
	return STATUS_USAGE;
}

static enum step_source source_of(const struct summary *s)
{
	return step_source(summary_text(s, s->run.step_source));
}

/* Steps that were found in another way are other steps: of a stretch at the job's begin marks may
 * be missing that the later ones have. The surer way counts, and what was found in the other one
 * is missing. An enum status. */
static int agree_on_steps(const struct stretch *stretch, struct summary *sum,
						  const struct summary *next)
{
	const struct quality before = sum->quality;
	const enum step_source was = source_of(sum), is = source_of(next);
	if (!before.stretches || was == is)
		return STATUS_OK;
	if (is > was) {
		diag("%s: its steps are those of %s, and this stretch has none of them: it is not added",
			 stretch->path, step_source_name(was));
		return STATUS_INPUT;
	}
	summary_free(sum);
	if (summary_init(sum) != 0)
		return STATUS_INPUT;
	sum->quality.stretches_from_ns = before.stretches_from_ns;
	sum->quality.stretches_to_ns = before.stretches_from_ns;
	return STATUS_OK;
}

/* No more is missing than all of it. */
static void count_unwritten(int64_t written_ns, struct quality *q)
{
	const int64_t long_ns = q->stretches_to_ns - q->stretches_from_ns;
	const int64_t left_ns = q->stretches_to_ns - written_ns;
	if (left_ns > 0)
		q->stretches_missing_ns += left_ns;
	if (q->stretches_missing_ns > long_ns)
		q->stretches_missing_ns = long_ns;
}

static int add_and_write(const struct stretch *stretch, const struct reduce_options *how,
						 struct summary *sum, struct summary *next)
{
	const char *path = stretch->path;
	int status = check_run(path, sum, next);
	if (status == STATUS_OK)
		status = check_order(path, sum, next);
	if (status == STATUS_OK)
		status = agree_on_steps(stretch, sum, next);
	if (status != STATUS_OK)
		return status;
	if (stretch->written_ns)
		count_unwritten(stretch->written_ns, &next->quality);
	if (stretch->beside) /* they are not closed yet, and that is no damage */
		next->quality.truncated_files = 0;
	const int error = stretches_add(sum, next);
	if (error) {
		diag("%s: %s", path, strerror(-error));
		return STATUS_INPUT;
	}
	diag_quiet(false);
	status = baseline_store(path, how, sum);
	if (status == STATUS_OK && !stretch->silent)
		diag("%llu %s of time in %s        next: baton report %s",
			 (unsigned long long)sum->quality.stretches,
			 sum->quality.stretches == 1 ? "stretch" : "stretches", path, shell_word(path).at);
	return status;
}

/* While the job runs the stretch ends where a step begins that may not be over: the next one has
 * it. */
static int reduce_whole_steps(const struct stretch *stretch, struct reduce_options *how,
							  struct reduction *out)
{
	int status = reduce_run(stretch->dirs, stretch->n_dirs, how, out);
	if (!stretch->beside || (status != STATUS_OK && status != STATUS_PARTIAL) ||
		out->open_ns >= how->time.to_ns)
		return status;
	how->time.to_ns = out->open_ns;
	reduction_free(out);
	return how->time.to_ns > how->time.from_ns
			   ? reduce_run(stretch->dirs, stretch->n_dirs, how, out)
			   : (int)STATUS_INPUT;
}

/* `sum` has the stretches before. */
static int reduce_next(const struct stretch *stretch, const struct reduce_options *asked,
					   struct summary *sum)
{
	struct reduce_options how = *asked;
	struct reduction reduction;
	how.store = false;
	how.no_replay = how.time.adds = true;
	how.only_read = stretch->beside;
	if (stretch->rest && stretches_are(sum)) {
		how.time.since_start = false;
		how.time.from_ns = sum->quality.stretches_to_ns;
		if (how.time.to_ns <= how.time.from_ns)
			return STATUS_INPUT;
	}
	if (stretch->rest && !stretches_are(sum) && !how.time.since_start) /* what is gone is missing */
		sum->quality.stretches_from_ns = sum->quality.stretches_to_ns = how.time.from_ns;
	int status = reduce_whole_steps(stretch, &how, &reduction);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return status;
	if (reduction.left_out && !stretch->rest) {
		diag("%s: files were left out, so %s is not written", stretch->dirs[0], stretch->path);
		status = STATUS_PARTIAL;
	} else {
		status = status_worse(add_and_write(stretch, &how, sum, &reduction.summary),
							  (enum status)status);
	}
	reduction_free(&reduction);
	return status;
}

int stretch_store(const struct stretch *stretch, const struct reduce_options *how)
{
	struct summary sum;
	diag_quiet(stretch->silent);
	int status = load_before(stretch, how, &sum);
	if (status == STATUS_OK) {
		status = reduce_next(stretch, how, &sum);
		summary_free(&sum);
	}
	diag_quiet(false);
	return status;
}
