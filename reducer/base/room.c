#include "base/room.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

int room_for(void **array, size_t n, size_t *room, size_t least, size_t bytes)
{
	if (n < *room)
		return 0;
	size_t more = *room ? 2 * *room : least;
	if (more > SIZE_MAX / bytes)
		return -ENOMEM;
	void *larger = realloc(*array, more * bytes);
	if (!larger)
		return -ENOMEM;
	*array = larger;
	*room = more;
	return 0;
}
