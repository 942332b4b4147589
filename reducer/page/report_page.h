/* The page of `baton report --html`. */
#ifndef PAGE_REPORT_PAGE_H
#define PAGE_REPORT_PAGE_H

#include "export/job.h"
#include "render/report.h"

struct report_page_file {
	const char *path;
	bool source; /* the text of lines of code may be in it */
};

/* As page_write() says. `job`: the same run, of which events are read for the timeline. */
enum status report_page(const struct report *report, const struct export_job *job,
						const struct report_page_file *file);

#endif
