/* summary.baton: a reduced run, stored in the run's directory (docs/FORMAT.md section 6). It is a
 * cache: if anything is wrong with it, the caller reduces the run again. */
#ifndef SUMMARY_SUMMARY_IO_H
#define SUMMARY_SUMMARY_IO_H

#include "summary/summary.h"

/* Raise this with every change after which the same events may give other numbers: summaries of
 * other versions are stale. */
#define SUMMARY_REDUCER_VERSION 53u

/* Writes DIR/summary.baton, completely or not at all. The summary must be sorted. `options_text`:
 * all options that change the numbers. 0 or -errno. */
int summary_store(const char *dir, const struct summary *summary, const char *options_text);

/* Loads DIR/summary.baton. 0: it is fresh and `out` is filled; free it with summary_free().
 * Otherwise `out` needs no freeing: -ENOENT: there is none; -ESTALE: made with other options, by
 * another version or from other trace files; -EBADMSG: damaged; or another -errno. */
int summary_load(const char *dir, const char *options_text, struct summary *out);

/* The same for a file that stands for itself: it names no trace files and is never stale by them.
 * Loading gives -ESTALE only for another version, and -EINVAL for other options. */
int summary_store_alone(const char *path, const struct summary *summary, const char *options_text);
/* Writes the same into an open file, which is closed in any case. */
int summary_write(int fd, const struct summary *summary, const char *options_text);
int summary_load_alone(const char *path, const char *options_text, struct summary *out);

#endif
