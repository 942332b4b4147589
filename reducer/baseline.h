/* A baseline: a reduced run in one file, without its traces (`baton reduce -o`). It stands for a
 * directory wherever a summary is enough. */
#ifndef BASELINE_H
#define BASELINE_H

#include "summary/reduction.h"

/* Both return an enum status and say what is wrong. Free a loaded summary with summary_free(). */
int baseline_load(const char *path, const struct reduce_options *options, struct summary *out);
int baseline_store(const char *path, const struct reduce_options *options,
				   const struct summary *summary);

#endif
