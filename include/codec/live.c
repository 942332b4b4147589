/* Reads the dictionary of a live file while other threads write it. */
#include <baton/live.h>

struct baton_record *baton_dictionary_next(uint8_t *arena, uint64_t *at, uint64_t end, int skip)
{
	while (*at < end && sizeof(struct baton_record) <= end - *at) {
		struct baton_record *record = (struct baton_record *)(arena + *at);
		uint32_t size = __atomic_load_n(&record->size, __ATOMIC_ACQUIRE);
		uint32_t room = size ? size & ~BATON_RECORD_UNFINISHED : sizeof(*record);
		if (room < sizeof(*record) || room % 8 || room > end - *at || (size != room && !skip))
			return NULL;
		*at += room;
		if (size == room)
			return record;
	}
	return NULL;
}
