/* The hidden directory, inside the output directory, in which an import writes. The old contents of
 * the output directory stay until the new traces replace them; an import that fails leaves nothing
 * there. */
#ifndef IMPORT_STAGING_H
#define IMPORT_STAGING_H

#include <stdbool.h>
#include <stddef.h>

/* Removes the staging directories in `dir` that killed programs have left. */
void staging_sweep(const char *dir);
/* The same, and makes one in `dir`; *path: its path, in new memory. 0 or -errno. */
int staging_open(const char *dir, char **path);
/* Removes the old traces of `dir`, moves the new ones in and frees `path`. 0 or -errno. */
int staging_publish(char *path, const char *dir);
/* Removes the staging directory with its contents and frees `path`. */
void staging_discard(char *path);
/* The same without freeing; false: something is left. */
bool staging_remove(const char *path);

/* The number of traces (*.baton) in a directory, or -errno. */
int staging_count(const char *dir);

/* Copies what can still be read from `fd` into a file of the staging directory, whose path, to be
 * freed, is put into *copy. 0 or -errno. */
int staging_copy(const char *path, int fd, char **copy);

#endif
