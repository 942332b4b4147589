#include "base/room.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int enlarge(void **array, size_t room, size_t bytes)
{
	void *larger = room <= SIZE_MAX / bytes ? realloc(*array, room * bytes) : NULL;
	if (!larger)
		return -ENOMEM;
	*array = larger;
	return 0;
}

int room_double(void **array, size_t *room, size_t least, size_t bytes)
{
	size_t more = *room ? 2 * *room : least;
	if (enlarge(array, more, bytes) != 0)
		return -ENOMEM;
	*room = more;
	return 0;
}

int room_next(void **array, size_t n, size_t bytes)
{
	if ((n & (n - 1)) != 0)
		return 0;
	return enlarge(array, n ? 2 * n : 1, bytes);
}

int room_reach(void **array, size_t *room, size_t n, size_t bytes)
{
	if (n < *room)
		return 0;
	size_t more = *room ? *room : 32;
	while (more <= n)
		more *= 2;
	if (enlarge(array, more, bytes) != 0)
		return -ENOMEM;
	memset((char *)*array + *room * bytes, 0, (more - *room) * bytes);
	*room = more;
	return 0;
}
