/* The page of `baton report --html`. */
#ifndef PAGE_REPORT_PAGE_H
#define PAGE_REPORT_PAGE_H

#include "render/report.h"

/* 0 or -errno. */
int report_page(const struct report *report, const char *path);

#endif
