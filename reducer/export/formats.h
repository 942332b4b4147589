/* The formats of other tools that a run can be written in. */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

struct export_job;

struct export_format {
	const char *name;
	const char *about; /* a line for --help */
	/* Writes the run and says what goes wrong. Returns an enum status. */
	int (*write)(const struct export_job *job);
};

extern const struct export_format export_formats[]; /* ends with one without a name */

const struct export_format *export_format_find(const char *name); /* or NULL */

#endif
