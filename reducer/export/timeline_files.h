/* Timelines: a scene, walked into a sink that writes files. They appear under their names when they
 * are whole; a signal leaves nothing. */
#ifndef EXPORT_TIMELINE_FILES_H
#define EXPORT_TIMELINE_FILES_H

#include "export/job.h"

#include <stdio.h>

struct scene;

struct timeline_form {
	bool directory; /* -o is one */
	bool bare;      /* by scene_open_bare() */
	/* Is a directory such an export and nothing else, so that -f may replace it? NULL: -f replaces no
	 * directory. */
	bool (*is_old)(const char *dir);
	/* Writes all of it; `out`: the file, or NULL with `directory`, which is `dir` then. 0 or
	 * -errno; -ECANCELED: what was wrong with the run was said. */
	int (*write)(const struct scene *scene, FILE *out, const char *dir, uint64_t *crowded);
};

/* Each is the write() of a format. */
int timeline_perfetto(const struct export_job *job);
int timeline_chrome(const struct export_job *job);
int timeline_kineto(const struct export_job *job);

/* What they share. An enum status. */
int timeline_write(const struct export_job *job, const struct timeline_form *form);
/* A file whose bytes are compressed by gzip. NULL: errno says why. It takes `fd`. */
FILE *timeline_gzip(int fd);

#endif
