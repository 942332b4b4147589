/* Stretches of time, in an array that is reused. */
#ifndef ATTRIBUTE_HOST_PARTS_H
#define ATTRIBUTE_HOST_PARTS_H

#include <stddef.h>
#include <stdint.h>

struct host_part {
	int64_t from, to;
};

struct host_parts {
	struct host_part *at;
	size_t n, room;
};

/* Adds [from, to) unless it is empty. 0 or -ENOMEM. */
int host_parts_add(struct host_parts *parts, int64_t from, int64_t to);
/* Brings them in order; those that overlap, or have no more than `apart` between them, become one.
 */
void host_parts_join(struct host_parts *parts, int64_t apart);
void host_parts_free(struct host_parts *parts);

#endif
