/* Reads parts of a run and merges them. */
#ifndef MERGE_H
#define MERGE_H

#include "summary/reduction.h"

#define PART_ENDING ".part"

/* Is this a directory with parts (*.part) and without traces? */
bool merge_has_parts(const char *dir);
/* Merges the parts in these files, and in the directories all *.part; free `sum` with summary_free(). Returns an enum status and says
 * what is wrong. With another status than STATUS_OK `sum` needs no freeing. */
int merge_files(char *const *paths, size_t n, const struct reduce_options *options,
				struct summary *sum);
/* What merged parts lack that only all of them together show: says it. An enum status. */
int merge_status(const char *name, const struct summary *sum);

#endif
