#include "ring/arena.h"

#include "ring/live.h"

#include <string.h>

enum { PASSED_OVER = 64 }; /* at once: as many threads in the middle of a record */

static struct {
	uint64_t seen;
	uint64_t unfinished[PASSED_OVER]; /* in the order that they lie in */
	unsigned n;
} arena;

void arena_forget(void)
{
	memset(&arena, 0, sizeof(arena));
}

uint64_t arena_taken(void)
{
	return arena.n ? arena.unfinished[0] : arena.seen;
}

uint64_t arena_seen(void)
{
	return arena.seen;
}

static struct baton_record *finished_since(void)
{
	for (unsigned i = 0; i < arena.n; i++) {
		struct baton_record *record =
			(struct baton_record *)(live_dictionary() + arena.unfinished[i]);
		if (__atomic_load_n(&record->size, __ATOMIC_ACQUIRE) & BATON_RECORD_UNFINISHED)
			continue;
		memmove(&arena.unfinished[i], &arena.unfinished[i + 1],
				(--arena.n - i) * sizeof(arena.unfinished[0]));
		return record;
	}
	return NULL;
}

/* True: there is more to look at. False: it is the end, how long the record will be nobody has
 * noted yet, or there are too many. */
static bool pass_over(uint64_t end)
{
	const struct baton_record *record =
		(const struct baton_record *)(live_dictionary() + arena.seen);
	if (arena.seen >= end || arena.n == PASSED_OVER)
		return false;
	uint32_t size = __atomic_load_n(&record->size, __ATOMIC_ACQUIRE);
	uint32_t room = size & ~BATON_RECORD_UNFINISHED;
	if (room < sizeof(*record) || room % 8 || room > end - arena.seen)
		return false;
	if (size == room) /* finished since it was looked at */
		return true;
	arena.unfinished[arena.n++] = arena.seen;
	arena.seen += room;
	return true;
}

struct baton_record *arena_next(bool last)
{
	uint64_t end = atomic_load(&live->dictionary_reserved);
	uint8_t *bytes = (uint8_t *)live_dictionary();
	struct baton_record *record = finished_since();
	do
		record = record ? record : baton_dictionary_next(bytes, &arena.seen, end, last);
	while (!record && pass_over(end));
	return record;
}
