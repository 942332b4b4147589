/* Arrays that grow: twice as large each time. */
#ifndef BASE_ROOM_H
#define BASE_ROOM_H

#include <stddef.h>

/* Room for one more element of so many bytes behind the first `n` of `*array`, which has *room of
 * them and begins with `least`. 0 or -ENOMEM, and then the array is as it was. */
int room_for(void **array, size_t n, size_t *room, size_t least, size_t bytes);

#endif
