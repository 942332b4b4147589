/* The page of `baton compare --html`. */
#ifndef PAGE_COMPARE_PAGE_H
#define PAGE_COMPARE_PAGE_H

#include "render/compare.h"

/* 0 or -errno. */
int compare_page(const struct comparison *comparison, const char *path);

#endif
