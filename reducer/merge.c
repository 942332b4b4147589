#include "merge.h"

#include "base/diag.h"
#include "baseline.h"
#include "part.h"

#include <string.h>

static int add_file(struct summary *sum, const char *path, const struct reduce_options *options)
{
	struct summary part;
	if (!baseline_is(path)) {
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

int merge_files(char *const *paths, size_t n, const struct reduce_options *options,
				struct summary *sum)
{
	int status = summary_init(sum) ? STATUS_INPUT : STATUS_OK;
	for (size_t i = 0; status == STATUS_OK && i < n; i++)
		status = add_file(sum, paths[i], options);
	if (status == STATUS_OK && part_finish(sum, options) != 0) {
		diag("no memory to merge %zu parts", n);
		status = STATUS_INPUT;
	}
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
