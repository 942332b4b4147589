#include "merge.h"

#include "base/diag.h"
#include "base/progress.h"
#include "baseline.h"
#include "part.h"
#include "read/paths.h"
#include "read/run.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int add_file(struct summary *sum, const char *path, const struct reduce_options *options)
{
	struct summary part;
	if (!run_is_summary(path)) {
		diag("%s: not a part of a run: baton reduce --part -o FILE DIR makes one", path);
		return STATUS_INPUT;
	}
	int status = baseline_load(path, options, &part);
	if (status != STATUS_OK)
		return status;
	status = part_add(sum, &part, path);
	summary_free(&part);
	return status;
}

static int is_part(const struct dirent *entry)
{
	const size_t n = strlen(entry->d_name), ending = strlen(PART_ENDING);
	return entry->d_name[0] != '.' && n > ending &&
		   strcmp(entry->d_name + n - ending, PART_ENDING) == 0;
}

bool merge_has_parts(const char *dir)
{
	struct paths traces = {0};
	struct dirent **parts = NULL;
	const int n = scandir(dir, &parts, is_part, alphasort);
	for (int i = 0; i < n; i++)
		free(parts[i]);
	free(parts);
	const bool has_traces = n > 0 && (paths_add(&traces, dir, true) != 0 || traces.n > 0);
	paths_free(&traces);
	return n > 0 && !has_traces;
}

/* All parts of a directory, or a file. */
static int add_operand(struct summary *sum, const char *path, const struct reduce_options *options)
{
	struct dirent **parts = NULL;
	const int n = scandir(path, &parts, is_part, alphasort);
	int status = STATUS_OK;
	if (n < 0)
		return add_file(sum, path, options);
	if (n == 0) {
		diag("%s: no parts (*" PART_ENDING ") here: baton record --reduce or baton reduce --part "
			 "makes them",
			 path);
		status = STATUS_INPUT;
	}
	for (int i = 0; i < n; i++) {
		char *file = NULL;
		if (status == STATUS_OK && asprintf(&file, "%s/%s", path, parts[i]->d_name) < 0)
			status = STATUS_INPUT;
		if (status == STATUS_OK)
			status = add_file(sum, file, options);
		free(file);
		free(parts[i]);
	}
	free(parts);
	return status;
}

static int finish(struct summary *sum, const struct reduce_options *options)
{
	int error = part_finish(sum, options);
	if (!error)
		error = part_check(sum);
	if (error == -EBADMSG)
		diag("the parts together say more than a run can have: one of them is damaged");
	else if (error)
		diag("the parts cannot be merged: %s", strerror(-error));
	return error ? STATUS_INPUT : STATUS_OK;
}

int merge_files(char *const *paths, size_t n, const struct reduce_options *options,
				struct summary *sum)
{
	int status = summary_init(sum) ? STATUS_INPUT : STATUS_OK;
	progress_begin("merge", n == 1 ? NULL : "parts", n == 1 ? 0 : n);
	for (size_t i = 0; status == STATUS_OK && i < n; i++) {
		progress_reach(i);
		status = add_operand(sum, paths[i], options);
	}
	progress_end();
	if (status == STATUS_OK)
		status = finish(sum, options);
	if (status != STATUS_OK)
		summary_free(sum);
	return status;
}

int merge_status(const char *name, const struct summary *sum)
{
	const struct quality *q = &sum->quality;
	const size_t unmet = part_unmet(sum);
	const bool disagrees = part_disagrees(sum);
	if (!part_is(sum))
		return STATUS_OK;
	if (unmet)
		diag("%s: %zu devices share communicators with devices of other parts, whose collectives "
			 "they did not know: waits for each other are not separated from transfers (baton "
			 "reduce --part --met)",
			 name, unmet);
	if (disagrees)
		diag("%s: the ranks do not agree on the steps that were found by periodicity: reduce all "
			 "files together",
			 name);
	if (q->truncated_files || q->unreadable_files)
		diag("%s: %llu damaged and %llu unreadable files were among those of its parts", name,
			 (unsigned long long)q->truncated_files, (unsigned long long)q->unreadable_files);
	const bool whole = !unmet && !disagrees && !q->truncated_files && !q->unreadable_files;
	return whole ? STATUS_OK : STATUS_PARTIAL;
}
