/* The document "gauges" of a report's page: what the GPUs showed while the steps ran (schema
 * baton.page.gauges/0, docs/PAGE.md). */
#ifndef PAGE_GAUGES_PAGE_H
#define PAGE_GAUGES_PAGE_H

#include "page/step_views.h"

#include <stdio.h>

/* `of`: a struct step_views. 0 or -errno. */
int gauges_page_write(const void *of, FILE *out);

#endif
