/* What `--html` writes: one file that shows a run in a browser, without a network (docs/PAGE.md).
 * It is the template that tools/page builds, with JSON documents in it. */
#ifndef PAGE_PAGE_H
#define PAGE_PAGE_H

#include <stdio.h>

struct page_document {
	const char *id; /* by which the page's script finds it: a to z */
	/* Writes the document, which is `of`. 0 or -errno. */
	int (*write)(const void *of, FILE *out);
	const void *of;
};

/* The file is there as a whole or not at all. 0 or -errno. */
int page_write(const char *path, const struct page_document *documents, size_t n);

#endif
