/* Recognises files that are given to `baton import` by mistake, and says what to do with them. */
#ifndef IMPORT_FOREIGN_H
#define IMPORT_FOREIGN_H

#include <stddef.h>

#define NSYS_REPORT_MARK "NVIDIA Tegra Profiler Report" /* the first bytes of a .nsys-rep */

/* `head`: the first bytes of a file that no importer accepts, inflated when it is gz. Returns a
 * text to print after the file's name, or NULL when the kind of file is unknown. */
const char *foreign_words(const unsigned char *head, size_t bytes);

#endif
