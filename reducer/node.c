#include "node.h"

#include "base/boot.h"
#include "base/diag.h"
#include "base/shell.h"
#include "baseline.h"
#include "merge.h"
#include "part.h"
#include "read/paths.h"
#include "reduce.h"
#include "reduce_options.h"
#include "render/report.h"
#include "summary/summary_inputs.h"
#include "summary/summary_io.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_BYTES = 64, KERNELS = 10 /* that the report lists */ };

static bool is_own(const char *path, const char *boot)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *at = strncmp(name, "gpus.", 5) == 0 ? name + 5 : name;
	return strncmp(at, boot, BOOT_ID_SHORT) == 0;
}

/* This node's files come first; how many they are. */
static size_t choose_own(struct paths *paths, const char *boot)
{
	size_t n = 0;
	for (size_t i = 0; i < paths->n; i++) {
		char *path = paths->at[i];
		if (!is_own(path, boot))
			continue;
		paths->at[i] = paths->at[n];
		paths->at[n++] = path;
	}
	return n;
}

static void store_part(const struct summary *summary, const struct reduce_options *how,
					   const char *shown, const char *boot)
{
	char *path = NULL;
	if (asprintf(&path, "%s/%.8s.baton" PART_ENDING, shown, boot) < 0)
		path = NULL;
	if (!path)
		diag("no memory for the part of this node");
	else if (baseline_store(path, how, summary) == STATUS_OK)
		diag("%zu devices of this node reduced into %s        next: baton merge %s ... -o FILE",
			 summary->n_scans, path, shell_word(path).at);
	free(path);
}

static void store_whole(const struct summary *summary, const struct reduce_options *how,
						const char *shown)
{
	char text[OPTIONS_BYTES];
	reduce_options_text(how, text, sizeof(text));
	const int error = summary_store(shown, summary, text);
	if (error)
		diag("%s: cannot write summary.baton: %s", shown, strerror(-error));
}

void node_report(const char *shown)
{
	char *dirs[] = {(char *)shown};
	struct reduce_options how = {.store = true};
	struct reduction reduction;
	struct figures figures;
	struct findings findings;
	const int status = reduce_run(dirs, 1, &how, &reduction);
	if (status != STATUS_OK && status != STATUS_PARTIAL)
		return;
	figures_compute(&reduction.summary, &figures);
	if (findings_make(&reduction.summary, &figures, &findings) == 0) {
		const struct report report = {.dirs = dirs,
									  .n_dirs = 1,
									  .reduction = &reduction,
									  .figures = &figures,
									  .findings = &findings,
									  .kernels = KERNELS};
		report_text(&report, stderr);
		findings_free(&findings);
	}
	reduction_free(&reduction);
}

void node_reduce(const char *directory, const char *shown)
{
	char boot[BOOT_ID_CHARS + 1];
	struct paths paths = {0};
	struct reduction reduction;
	summary_inputs_begin();
	if (boot_id_read(boot) != 0 || paths_add(&paths, directory, false) != 0) {
		paths_free(&paths);
		return;
	}
	const size_t own = choose_own(&paths, boot);
	struct reduce_options how = {.part = own < paths.n, .part_if_missing = true};
	if (own) {
		const int status = reduce_run(paths.at, own, &how, &reduction);
		const bool told = status == STATUS_OK || status == STATUS_PARTIAL;
		if (told && reduction.left_out)
			diag("%s: files were left out, so no part of this node is written", shown);
		else if (told && part_is(&reduction.summary))
			store_part(&reduction.summary, &how, shown, boot);
		else if (status == STATUS_OK)
			store_whole(&reduction.summary, &how, shown);
		if (told)
			reduction_free(&reduction);
	}
	paths_free(&paths);
}
