/* The page of `baton jitter --html`. */
#ifndef PAGE_JITTER_PAGE_H
#define PAGE_JITTER_PAGE_H

#include "jitter/print.h"

/* As page_write() says. */
enum status jitter_page(const struct jitter_printed *printed, const char *path);

#endif
