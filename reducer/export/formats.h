/* The formats of other tools in which a run can be written: baton export --format NAME. */
#ifndef EXPORT_FORMATS_H
#define EXPORT_FORMATS_H

#include "export/job.h"

struct export_format {
	const char *name, *about;
	int (*write)(const struct export_job *job); /* an enum status; says what is wrong itself */
};

extern const struct export_format export_formats[]; /* ends with a name of NULL */

#endif
