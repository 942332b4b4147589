/* Traces of other profilers become a run directory: one file after the other, each by the importer
 * that recognises its content. */
#ifndef IMPORT_FILES_H
#define IMPORT_FILES_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct import_request {
	char *const *paths; /* files, and directories whose files are tried */
	size_t n_paths;
	const char *out_dir;
	int32_t rank;    /* of a single file that does not name it; -1: as the file says */
	bool force;      /* replace the traces that out_dir holds */
	bool on_the_way; /* a command reads the run next: no word of what to do with it */
};

/* Says what it made, or what is wrong. STATUS_PARTIAL: something was lost or refused. */
enum status import_files(const struct import_request *asked);
/* Does one of the importers read this file? */
bool import_knows(const char *path);
/* The same, or can it at least say what the file is and what to do with it? */
bool import_names(const char *path);

#endif
