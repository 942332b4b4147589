/* The document "source" of a report's page: the text of the lines of Python code that the table by
 * line names, where their files can be read (schema baton.page.source/0, docs/PAGE.md). */
#ifndef PAGE_SOURCE_PAGE_H
#define PAGE_SOURCE_PAGE_H

#include "page/step_views.h"

#include <stdio.h>

struct source_page {
	const struct summary *summary;
	const struct step_views *views;
	bool off; /* no file is opened */
};

/* `of`: a struct source_page. 0 or -ENOMEM. */
int source_page_write(const void *of, FILE *out);

#endif
