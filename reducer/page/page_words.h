/* Documents that the pages of several commands have: what the command prints as text, and the names
 * of the parts of a step. */
#ifndef PAGE_PAGE_WORDS_H
#define PAGE_PAGE_WORDS_H

#include "render/json.h"

/* Something that prints lines for people. */
struct page_lines {
	void (*print)(const void *of, size_t i, FILE *out);
	const void *of;
	size_t i;
};

/* What it prints, as one string without the last line's end. 0 or -ENOMEM. */
int page_words_put(struct json *json, const char *key, const struct page_lines *lines);
/* A document: the time tree, heading by heading (schema baton.page.tree/0). `of` is not used. */
int page_words_tree(const void *of, FILE *out);

#endif
