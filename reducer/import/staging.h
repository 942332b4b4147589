/* Where an import writes until it is whole: a hidden directory inside the output directory. What
 * was in the output directory stays until the new traces take its place, and nothing is left behind
 * when they do not. */
#ifndef IMPORT_STAGING_H
#define IMPORT_STAGING_H

#include <stddef.h>

/* Makes it; *path is new memory. 0 or -errno. */
int staging_open(const char *dir, char **path);
/* Removes the old traces of `dir` and moves the new ones in. 0 or -errno. Frees path. */
int staging_publish(char *path, const char *dir);
/* Removes everything in it. Frees path. */
void staging_discard(char *path);

/* Traces (*.baton) in a directory. -errno on failure. */
int staging_count(const char *dir);

#endif
