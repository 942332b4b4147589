/* Arrays that grow: twice as large each time. */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include <stddef.h>

int room_double(void **array, size_t *room, size_t least, size_t bytes); /* of room_for */

/* Room for one more element of so many bytes after the first `n` of `*array`, which has *room of
 * them and begins with `least`. 0 or -ENOMEM, and then the array is as it was. */
static inline int room_for(void **array, size_t n, size_t *room, size_t least, size_t bytes)
{
	return n < *room ? 0 : room_double(array, room, least, bytes);
}

/* Likewise for an array that only grows, one by one, and does not say how much room it has: it
 * doubles whenever n is a power of two. */
int room_next(void **array, size_t n, size_t bytes);

/* Room for element `n`, however far after the others; new room is zero. 0 or -ENOMEM. */
int room_reach(void **array, size_t *room, size_t n, size_t bytes);

#endif
