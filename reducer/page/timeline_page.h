/* The document "timeline" of a report's page: some steps on all ranks (schema
 * baton.page.timeline/0, docs/PAGE.md). */
#ifndef PAGE_TIMELINE_PAGE_H
#define PAGE_TIMELINE_PAGE_H

#include "page/step_views.h"

#include <stdio.h>

struct timeline_page {
	struct step_views *views; /* events are left out of them until the document is small enough */
};

/* Writes not more than about `bytes` bytes. `of`: a struct timeline_page. 0 or -ENOMEM. */
int timeline_page_write(const void *of, size_t bytes, FILE *out);

#endif
