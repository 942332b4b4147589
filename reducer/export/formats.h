/* The formats of other tools in which a run can be written: baton export --format NAME. */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include <stdbool.h>

struct export_job;

struct export_format {
	const char *name;
	const char *about; /* what comes of it */
	/* Writes the run and says what goes wrong. Returns an enum status. */
	int (*write)(const struct export_job *job);
	bool tables;   /* a data set */
	bool timeline; /* a part may be chosen, and the run is reduced for its steps and idle time; else
					* job->run is open */
};

extern const struct export_format export_formats[]; /* ends with one without a name */

const struct export_format *export_format_find(const char *name); /* or NULL */

#endif
