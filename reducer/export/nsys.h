/* A run as the SQLite files that `nsys export` makes (docs/COMPATIBILITY.md). */
#ifndef EXPORT_NSYS_H
#define EXPORT_NSYS_H

struct export_job;

/* One file, or with each_rank a directory with one for each process. A file gets its name when it
 * is whole. Says what goes wrong. An enum status. */
int nsys_export(const struct export_job *job);

#endif
