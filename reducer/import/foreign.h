/* Files that are given to `baton import` by mistake: what they are, and what to do with them. */
#ifndef IMPORT_FOREIGN_H
#define IMPORT_FOREIGN_H

#include <stddef.h>

/* Of the first bytes of a file (inflated when it is gz) that no importer takes: a text to put
 * after its name, or NULL when it is nothing that is known. */
const char *foreign_words(const unsigned char *head, size_t bytes);

#endif
