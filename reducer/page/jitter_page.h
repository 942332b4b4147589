/* The page of `baton jitter --html`. */
#ifndef PAGE_JITTER_PAGE_H
#define PAGE_JITTER_PAGE_H

#include "jitter/print.h"

/* 0 or -errno. */
int jitter_page(const struct jitter_printed *printed, const char *path);

#endif
