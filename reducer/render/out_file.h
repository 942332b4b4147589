/* A file that is there as a whole or not at all: written under another name, then renamed. */
#ifndef RENDER_OUT_FILE_H
#define RENDER_OUT_FILE_H

#include <stdio.h>

struct out_file {
	FILE *out;
	char *path, *temporary;
};

/* Makes the directory if it is not there. 0 or -errno. */
int out_dir_make(const char *dir);
/* Opens DIR/NAME. 0 or -errno. */
int out_file_open(struct out_file *file, const char *dir, const char *name);
/* The same for a path; what is there already has to be a plain file, else -EEXIST. */
int out_file_open_path(struct out_file *file, const char *path);
/* Closes it in any case. `error`: what went wrong while it was written; with one the file is thrown
 * away. 0 or the first -errno. */
int out_file_close(struct out_file *file, int error);

#endif
