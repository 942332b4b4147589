/* A dictionary for tests of what writes into one: keeps every record, and shows them. */
#ifndef DICT_DOUBLE_H
#define DICT_DOUBLE_H

#include "ring/dict.h"

#include <baton/format.h>

/* A published record by its id (all that are tested begin with it), NULL none. */
const void *dict_double_find(uint16_t type, uint32_t id);
/* How many of a type were published. */
unsigned dict_double_count(uint16_t type);
/* The text of a string id; *bytes may be NULL. "" for 0. */
const char *dict_double_text(uint32_t id, size_t *bytes);

/* All published records, one after the other. */
const uint8_t *dict_double_all(size_t *bytes);

#endif
