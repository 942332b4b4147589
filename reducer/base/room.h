/* Arrays that grow by doubling. */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include <stddef.h>

int room_double(void **array, size_t *room, size_t least, size_t bytes); /* used by room_for() */

/* Makes room for an element after the first `n` of `*array`, which has room for *room elements of
 * `bytes` bytes each. `least`: the room that an empty array gets. 0, or -ENOMEM, which leaves the
 * array as it was. */
static inline int room_for(void **array, size_t n, size_t *room, size_t least, size_t bytes)
{
	return n < *room ? 0 : room_double(array, room, least, bytes);
}

/* The same for an array that only grows one by one and keeps no record of its room: it doubles
 * whenever n is a power of two. */
int room_next(void **array, size_t n, size_t bytes);

/* Makes room for element `n`, however far it is after the others; new room is zeroed. 0 or
 * -ENOMEM. */
int room_reach(void **array, size_t *room, size_t n, size_t bytes);

#endif
