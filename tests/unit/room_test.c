/* Arrays that grow. Keeps out: elements lost on the way, a size that wraps, an array that is gone
 * when there is no memory. */
#include "base/room.h"
#include "check.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

static void grows(void)
{
	uint32_t *at = NULL;
	size_t room = 0;
	for (uint32_t n = 0; n < 100; n++) {
		CHECK(room_for((void **)&at, n, &room, 3, sizeof(*at)) == 0, "no room for %u", n);
		at[n] = n;
	}
	CHECK(room == 192, "%zu elements have room", room); /* 3, 6, 12, ... */
	for (uint32_t n = 0; n < 100; n++)
		CHECK(at[n] == n, "element %u is %u", n, at[n]);
	free(at);
}

static void next(void)
{
	uint32_t *at = NULL, wrong = 0;
	for (uint32_t n = 0; n < 100; n++) {
		CHECK(room_next((void **)&at, n, sizeof(*at)) == 0, "no room for %u", n);
		at[n] = n;
	}
	for (uint32_t n = 0; n < 100; n++)
		wrong += at[n] != n;
	CHECK(wrong == 0, "%u elements are others", wrong);
	free(at);
}

static void reaches(void)
{
	uint32_t *at = NULL;
	size_t room = 0;
	CHECK(room_reach((void **)&at, &room, 500, sizeof(*at)) == 0 && room > 500 && at[500] == 0 &&
			  at[room - 1] == 0,
		  "an array of %zu", room);
	at[0] = 7;
	size_t before = room;
	CHECK(room_reach((void **)&at, &room, before, sizeof(*at)) == 0 && room > before &&
			  at[0] == 7 && at[before] == 0,
		  "an array of %zu", room);
	free(at);
}

static void too_large(void)
{
	uint64_t *at = malloc(sizeof(*at)), *before = at;
	size_t room = SIZE_MAX / 16 + 1; /* as if: twice that in bytes wraps to nothing */
	*at = 7;
	CHECK(room_for((void **)&at, room, &room, 1, sizeof(*at)) == -ENOMEM, "a size that wraps");
	CHECK(at == before && *at == 7 && room == SIZE_MAX / 16 + 1, "the array is another");
	free(at);
}

int main(void)
{
	grows();
	next();
	reaches();
	too_large();
	return finish();
}
