/* A report as nsys records it (.nsys-rep, .qdrep). NVIDIA has not published its format, so it is
 * exported by the user's own nsys, if that is in PATH. */
#ifndef IMPORT_NSYS_REPORT_H
#define IMPORT_NSYS_REPORT_H

#include <stdbool.h>
#include <stddef.h>

/* Do a file's first bytes say that it is such a report? */
bool nsys_report_is(const unsigned char *head, size_t bytes);

/* Exports the report to an SQLite file `out`, which is not there yet: `nsys export -t sqlite`, with
 * the payloads of NVTX, or without where this nsys knows no such option. What nsys says of a failure
 * it says on stderr. 0; -ENOENT: there is no nsys; -EIO: it failed; -errno. */
int nsys_report_export(const char *report, const char *out);

#endif
