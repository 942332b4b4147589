/* summary.baton: a reduced run in its directory (docs/FORMAT.md section 6). A cache: whatever is
 * wrong with it, the caller reduces again. */
#ifndef SUMMARY_SUMMARY_IO_H
#define SUMMARY_SUMMARY_IO_H

#include "summary/summary.h"

/* To be raised by every change after which the same events may give other numbers: summaries of
 * other versions are stale. */
#define SUMMARY_REDUCER_VERSION 11u

/* Writes DIR/summary.baton (complete or not at all). The summary has been sorted. `options_text`:
 * all options that change the numbers. 0 or -errno. */
int summary_store(const char *dir, const struct summary *summary, const char *options_text);

/* 0: it is fresh and `out` is filled (summary_free()). Else nothing is in `out`: -ENOENT there is
 * none, -ESTALE other options, version or trace files, -EBADMSG damaged, -errno. */
int summary_load(const char *dir, const char *options_text, struct summary *out);

#endif
