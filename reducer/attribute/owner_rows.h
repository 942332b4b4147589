/* Sums the costs of a device's owners by line, stack, module, operator and range. The summary keeps
 * the most expensive rows of each kind and adds the rest up in one row. */
#ifndef ATTRIBUTE_OWNER_ROWS_H
#define ATTRIBUTE_OWNER_ROWS_H

#include "attribute/owner_places.h"

enum { SITES_MOST = 4096 /* rows kept per kind and device */, STALL_LINES_MOST = 512 };

/* Stores the rows of the device with the key `device` in the summary. 0 or -errno. */
int owners_store(struct owners *owners, struct owner_places *places, struct summary *summary,
				 const char *device);

#endif
