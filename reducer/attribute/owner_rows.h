/* What a device's owners add up to by line, stack, module, operator and range: the rows that its
 * summary keeps, most cost first, the rest of each in one row. */
#ifndef ATTRIBUTE_OWNER_ROWS_H
#define ATTRIBUTE_OWNER_ROWS_H

#include "attribute/owner_places.h"

enum { SITES_MOST = 4096 /* of each kind and device */, STALL_LINES_MOST = 512 };

/* `device`: its key. 0 or -errno. */
int owners_store(struct owners *owners, struct owner_places *places, struct summary *summary,
				 const char *device);

#endif
