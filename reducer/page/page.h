/* What `--html` writes: one file that shows a run in a browser, without a network (docs/PAGE.md).
 * It is the template that tools/page builds, with JSON documents in it. */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include "base/diag.h"

#include <stdio.h>

struct page_document {
	const char *id; /* by which the page's script finds it: a to z */
	/* Writes the document, which is `of`. 0 or -errno. */
	int (*write)(const void *of, FILE *out);
	const void *of;
	/* Instead of `write`, of one that fits itself into the `bytes` that are left (0: none are). */
	int (*write_within)(const void *of, size_t bytes, FILE *out);
};

/* A page is not larger, unless documents with `write` are. */
enum { PAGE_BYTES = 2000000 };

/* The file is there as a whole or not at all. STATUS_OK, or STATUS_OUTPUT when it cannot be written,
 * or holds something that is no page (said). */
enum status page_write(const char *path, const struct page_document *documents, size_t n);

#endif
