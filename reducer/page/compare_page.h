/* The page of `baton compare --html`. */
#ifndef PAGE_COMPARE_PAGE_H
#define PAGE_COMPARE_PAGE_H

#include "render/compare.h"

/* As page_write() says. */
enum status compare_page(const struct comparison *comparison, const char *path);

#endif
