/* The document "kernels" of a jitter page: how much each kernel of a step differs from rank to rank
 * (schema baton.page.kernels/0, docs/PAGE.md). */
#ifndef PAGE_KERNELS_PAGE_H
#define PAGE_KERNELS_PAGE_H

#include "jitter/print.h"

/* `of`: a struct jitter_printed. 0 or -ENOMEM. */
int kernels_page_write(const void *of, FILE *out);

#endif
