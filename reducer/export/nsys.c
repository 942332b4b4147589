#include "export/nsys.h"

#include "base/amount.h"
#include "base/diag.h"
#include "base/progress.h"
#include "export/job.h"
#include "export/nsys_about.h"
#include "export/nsys_source.h"
#include "import/interrupted.h"
#include "import/staging.h"
#include "render/out_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file of some members of the plan. */
struct target {
	char *name; /* in the directory */
	size_t first, n;
};

struct exporter {
	const struct export_job *job;
	struct nsys_plan plan;
	char *dir; /* of the files */
	struct target *targets;
	size_t n_targets;
	char *staging;
	uint64_t bytes;
	bool partial;
};

/* ---- which files ---- */

static char *path_in(const char *dir, const char *name)
{
	char *path;
	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

static int one_target(struct exporter *e)
{
	const char *output = e->job->output, *slash = strrchr(output, '/');
	e->targets = calloc(1, sizeof(*e->targets));
	if (!e->targets)
		return -ENOMEM;
	e->n_targets = 1;
	e->targets[0] =
		(struct target){.name = strdup(slash ? slash + 1 : output), .n = e->plan.n_members};
	e->dir = !slash            ? strdup(".")
			 : slash == output ? strdup("/")
							   : strndup(output, (size_t)(slash - output));
	return e->dir && e->targets[0].name ? 0 : -ENOMEM;
}

/* rank000.sqlite; where a rank is not known, or there are two of it, the process's number and its
 * place say which one it is. */
static char *member_name(const struct nsys_plan *plan, size_t i)
{
	const struct run_process *process = plan->members[i].process;
	bool alone = process->rank >= 0;
	for (size_t k = i > 0 ? i - 1 : 0; k <= i + 1 && k < plan->n_members; k++)
		alone = alone && (k == i || plan->members[k].process->rank != process->rank);
	const struct export_member member = {process->rank, process->pid, i, alone};
	return export_member_name(&member, "sqlite");
}

static int target_of_each(struct exporter *e)
{
	e->dir = strdup(e->job->output);
	e->targets = calloc(e->plan.n_members + 1, sizeof(*e->targets));
	if (!e->dir || !e->targets)
		return -ENOMEM;
	for (size_t i = 0; i < e->plan.n_members; i++) {
		e->targets[i] = (struct target){member_name(&e->plan, i), i, 1};
		e->n_targets++;
		if (!e->targets[i].name)
			return -ENOMEM;
	}
	return 0;
}

/* STATUS_USAGE, said, where a file must not be written over. */
static int check_targets(const struct exporter *e)
{
	int status = STATUS_OK;
	for (size_t i = 0; i < e->n_targets && status == STATUS_OK; i++) {
		struct stat found;
		char *path = path_in(e->dir, e->targets[i].name);
		const char *shown = e->job->each_rank ? path : e->job->output;
		const bool there = path && lstat(path, &found) == 0;
		if (there && S_ISDIR(found.st_mode))
			diag("%s: is a directory%s", shown,
				 e->job->each_rank ? "" : "; --one-per-rank writes a file for each rank into it");
		else if (there && !e->job->replace)
			diag("%s: is there already; -f replaces it", shown);
		if (there && (S_ISDIR(found.st_mode) || !e->job->replace))
			status = STATUS_USAGE;
		free(path);
	}
	return status;
}

/* ---- writing ---- */

static int say(const struct exporter *e, int error)
{
	diag("%s: %s", e->job->output, strerror(-error));
	return STATUS_OUTPUT;
}

static int write_members(struct exporter *e, struct nsys_out *out, const struct target *target)
{
	int error = 0;
	for (size_t i = target->first; i < target->first + target->n && !error; i++) {
		error = nsys_source_write(out, &e->plan.members[i], e->job->rows);
	}
	return error;
}

static int write_target(struct exporter *e, const struct target *target)
{
	struct nsys_out out = {.plan = &e->plan, .alone = target->n == 1};
	struct stat made;
	char *path = path_in(e->staging, target->name);
	if (!path)
		return -ENOMEM;
	nsys_plan_number(&e->plan, target->first, target->n);
	int error = nsys_tables_open(&out.tables, path);
	error = error ? error : symbols_open(&out.symbols);
	if (!error) {
		nsys_about_write(&out.tables, &e->plan, target->first, target->n);
		error = write_members(e, &out, target);
	}
	const int closed = nsys_tables_close(&out.tables);
	error = error ? error : closed;
	if (!error && stat(path, &made) == 0)
		e->bytes += (uint64_t)made.st_size;
	e->partial = e->partial || out.partial;
	symbols_close(out.symbols);
	free(path);
	return error;
}

static int publish(const struct exporter *e)
{
	int error = 0;
	for (size_t i = 0; i < e->n_targets && !error; i++) {
		char *from = path_in(e->staging, e->targets[i].name);
		char *to = path_in(e->dir, e->targets[i].name);
		error = !from || !to ? -ENOMEM : rename(from, to) != 0 ? -errno : 0;
		free(from);
		free(to);
	}
	return error;
}

/* All files are written before the first one gets its name. */
static int write_targets(struct exporter *e)
{
	struct stat there;
	const bool made = e->job->each_rank && stat(e->dir, &there) != 0;
	int error = 0;
	interrupted_hold();
	if (e->job->each_rank)
		error = out_dir_make(e->dir);
	if (!error)
		error = staging_open(e->dir, &e->staging);
	if (!error) {
		interrupted_watch(e->staging, made ? e->dir : NULL);
		progress_begin("export", NULL, run_bytes(e->job->rows->run));
		for (size_t i = 0; i < e->n_targets && !error; i++)
			error = write_target(e, &e->targets[i]);
		progress_end();
		interrupted_stop();
		if (!error)
			error = publish(e);
		staging_discard(e->staging);
	}
	if (error && made)
		rmdir(e->dir);
	interrupted_end();
	return error ? say(e, error) : STATUS_OK;
}

static void say_result(const struct exporter *e)
{
	char n[32], bytes[32];
	diag("%s process%s, %s in %s", amount_grouped(e->plan.n_members, n),
		 e->plan.n_members == 1 ? "" : "es", amount_bytes(e->bytes, bytes), e->job->output);
}

static void free_exporter(struct exporter *e)
{
	for (size_t i = 0; i < e->n_targets; i++)
		free(e->targets[i].name);
	free(e->targets);
	free(e->dir);
	nsys_plan_free(&e->plan);
}

static int export_planned(struct exporter *e)
{
	const int error = e->job->each_rank ? target_of_each(e) : one_target(e);
	if (error)
		return say(e, error);
	int status = check_targets(e);
	if (status == STATUS_OK)
		status = write_targets(e);
	if (status == STATUS_OK)
		say_result(e);
	return status == STATUS_OK && (e->partial || e->plan.partial) ? STATUS_PARTIAL : status;
}

int nsys_export(const struct export_job *job)
{
	struct exporter e = {.job = job};
	if (!job->output || !*job->output) {
		diag("export: -o is missing: a file, or with --one-per-rank a directory");
		return STATUS_USAGE;
	}
	const int error = nsys_plan_make(&e.plan, job->rows);
	int status;
	if (error) {
		status = say(&e, error);
	} else if (e.plan.n_members == 0) {
		diag("nothing to export");
		status = STATUS_INPUT;
	} else {
		status = export_planned(&e);
	}
	free_exporter(&e);
	return status;
}
