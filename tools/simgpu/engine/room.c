#include "engine/room.h"

#include <stdio.h>
#include <stdlib.h>

void *must(void *memory)
{
	if (!memory) {
		fputs("baton-sim: out of memory\n", stderr);
		exit(5);
	}
	return memory;
}

void *room_grow(void *at, uint32_t *room, uint32_t least, size_t bytes)
{
	uint32_t more = *room ? 2 * *room : least;
	at = must(more > *room ? realloc(at, more * bytes) : NULL);
	*room = more;
	return at;
}
