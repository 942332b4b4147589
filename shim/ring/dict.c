#include "ring/dict.h"

#include "base/guard.h"
#include "base/memory.h"
#include "base/stop_point.h"
#include "base/table.h"
#include "base/wake.h"
#include "ring/live.h"

#include <string.h>

#include <xxhash.h>

enum { RECORD_MOST = 128 << 10 };

static struct table texts;    /* XXH3-64 of the text -> id */
static struct table literals; /* address -> id */
static _Atomic uint32_t last_id;

/* Stacks and code may take three quarters of the arena, and of its granted part all but the last
 * KEPT bytes: threads, kernel names and modules, without which nothing is recorded, still fit. */
enum { KEPT = 64 << 10 };
static _Atomic uint64_t stack_bytes;
static _Atomic bool stacks_full;
static _Atomic uint64_t hurried_at; /* how much was granted when the writer was last called */

int dict_open(void)
{
	atomic_store(&last_id, 0);
	atomic_store(&stack_bytes, 0);
	atomic_store(&stacks_full, !memory_size->stacks); /* each that is left out counts */
	atomic_store(&hurried_at, 0);
	int error = table_open(&texts, memory_size->texts);
	return error ? error : table_open(&literals, MEMORY_LITERALS);
}

void dict_close(void)
{
	table_close(&texts);
	table_close(&literals);
}

uint32_t dict_id(void)
{
	return atomic_fetch_add_explicit(&last_id, 1, memory_order_relaxed) + 1;
}

/* The arena's granted part is kept ahead by the writer thread; beyond it nothing is touched. The
 * last `kept` bytes of it are left alone. */
static void *reserve(uint64_t room, uint64_t kept)
{
	uint64_t at = atomic_load(&live->dictionary_reserved);
	do {
		if (room > RECORD_MOST || at + room + kept > atomic_load(&live->dictionary_granted))
			return NULL;
	} while (!atomic_compare_exchange_weak(&live->dictionary_reserved, &at, at + room));
	STOP_POINT("room");
	struct baton_record *record = (struct baton_record *)(live_dictionary() + at);
	__atomic_store_n(&record->size, (uint32_t)room | BATON_RECORD_UNFINISHED, __ATOMIC_RELEASE);
	STOP_POINT("unfinished");
	return record;
}

static void count_dropped(void)
{
	atomic_fetch_add_explicit(&live->dropped_strings, 1, memory_order_relaxed);
}

void *dict_reserve(size_t bytes)
{
	void *record = reserve((bytes + 7) & ~(uint64_t)7, 0);
	if (!record)
		count_dropped();
	return record;
}

/* More is granted when the writer comes by: it is called once for each such end. */
static void no_room_yet(void)
{
	uint64_t granted = atomic_load(&live->dictionary_granted);
	if (granted >= live->dictionary_bytes)
		atomic_store(&stacks_full, true);
	else if (atomic_exchange(&hurried_at, granted) != granted)
		wake_hurry();
}

void *dict_reserve_stack(size_t bytes)
{
	uint64_t room = (bytes + 7) & ~(uint64_t)7;
	uint64_t used = atomic_fetch_add(&stack_bytes, room) + room;
	bool within = used <= live->dictionary_bytes / 4 * 3;
	void *record = within ? reserve(room, KEPT) : NULL;
	if (record)
		return record;
	atomic_fetch_sub(&stack_bytes, room);
	count_dropped();
	if (!within)
		atomic_store(&stacks_full, true);
	else if (room <= RECORD_MOST)
		no_room_yet();
	return NULL;
}

bool dict_stacks_full(void)
{
	if (SHIM_LIKELY(!atomic_load_explicit(&stacks_full, memory_order_relaxed)))
		return false;
	count_dropped();
	return true;
}

void dict_publish(void *record, uint16_t type, size_t bytes)
{
	struct baton_record *head = record;
	head->type = type;
	head->zero = 0;
	__atomic_store_n(&head->size, (uint32_t)((bytes + 7) & ~(size_t)7), __ATOMIC_RELEASE);
}

uint32_t dict_place(const void *record)
{
	return (uint32_t)(((const char *)record - live_dictionary()) / 8) + 1;
}

const void *dict_at(uint32_t place)
{
	uint64_t at = ((uint64_t)place - 1) * 8;
	if (!place || !live ||
		at >= atomic_load_explicit(&live->dictionary_reserved, memory_order_relaxed))
		return NULL;
	return live_dictionary() + at;
}

static uint32_t write_string(const char *text, size_t bytes)
{
	struct baton_r_string *row = dict_reserve(sizeof(*row) + bytes);
	if (!row)
		return 0;
	row->id = dict_id();
	row->bytes = (uint32_t)bytes;
	memcpy(row + 1, text, bytes);
	uint32_t id = row->id;
	dict_publish(row, BATON_R_STRING, sizeof(*row) + bytes);
	return id;
}

uint32_t dict_string(const char *text, size_t bytes)
{
	if (!text || !live)
		return 0;
	bytes = bytes < RECORD_MOST / 2 ? bytes : RECORD_MOST / 2;
	uint64_t key = XXH3_64bits(text, bytes) | 1;
	uint32_t id = table_find(&texts, key);
	if (SHIM_LIKELY(id))
		return id;
	id = write_string(text, bytes);
	return id ? table_add(&texts, key, id) : 0;
}

uint32_t dict_literal(const char *text)
{
	if (!text || !live)
		return 0;
	uint32_t id = table_find(&literals, (uint64_t)(uintptr_t)text);
	if (SHIM_LIKELY(id))
		return id;
	id = dict_string(text, strlen(text));
	return id ? table_add(&literals, (uint64_t)(uintptr_t)text, id) : 0;
}
