/* The page of `baton report --html`. */
#ifndef PAGE_REPORT_PAGE_H
#define PAGE_REPORT_PAGE_H

#include "render/report.h"

/* As page_write() says. */
enum status report_page(const struct report *report, const char *path);

#endif
