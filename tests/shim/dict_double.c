#include "dict_double.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { ARENA_BYTES = 256 << 20, IDS = 1 << 20, SLOTS = 1 << 21 };

static struct {
	pthread_mutex_t lock;
	uint8_t *arena;
	_Atomic size_t used;
	_Atomic uint32_t last_id;
	_Atomic(struct baton_record *) by_id[IDS];
	_Atomic unsigned count[128];
	uint32_t texts[SLOTS]; /* open addressing: ids of strings */
} dict = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint32_t dict_id(void)
{
	return atomic_fetch_add(&dict.last_id, 1) + 1;
}

void *dict_reserve(size_t bytes)
{
	pthread_mutex_lock(&dict.lock);
	if (!dict.arena)
		dict.arena = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE,
						  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	pthread_mutex_unlock(&dict.lock);
	bytes = (bytes + 7) & ~(size_t)7;
	if (dict.arena == MAP_FAILED || bytes > 128 << 10)
		return NULL;
	size_t at = atomic_fetch_add(&dict.used, bytes);
	return at + bytes <= ARENA_BYTES ? dict.arena + at : NULL;
}

void *dict_reserve_stack(size_t bytes)
{
	return dict_reserve(bytes);
}

bool dict_stacks_full(void)
{
	return false;
}

void dict_publish(void *record, uint16_t type, size_t bytes)
{
	struct baton_record *head = record;
	uint32_t id;
	memcpy(&id, head + 1, sizeof(id));
	head->type = type;
	head->size = (uint32_t)((bytes + 7) & ~(size_t)7);
	atomic_fetch_add(&dict.count[type], 1);
	if (id < IDS)
		atomic_store(&dict.by_id[id], head);
}

uint32_t dict_place(const void *record)
{
	return (uint32_t)(((const uint8_t *)record - dict.arena) / 8) + 1;
}

const void *dict_at(uint32_t place)
{
	return place ? dict.arena + (place - 1) * (size_t)8 : NULL;
}

const void *dict_double_find(uint16_t type, uint32_t id)
{
	const struct baton_record *head = id && id < IDS ? atomic_load(&dict.by_id[id]) : NULL;
	return head && head->type == type ? head : NULL;
}

unsigned dict_double_count(uint16_t type)
{
	return atomic_load(&dict.count[type]);
}

const uint8_t *dict_double_all(size_t *bytes)
{
	*bytes = atomic_load(&dict.used);
	return dict.arena;
}

const char *dict_double_text(uint32_t id, size_t *bytes)
{
	const struct baton_r_string *string = dict_double_find(BATON_R_STRING, id);
	if (bytes)
		*bytes = string ? string->bytes : 0;
	return string ? (const char *)(string + 1) : "";
}

static uint32_t text_add(const char *text, size_t bytes)
{
	struct baton_r_string *string = dict_reserve(sizeof(*string) + bytes + 1);
	if (!string)
		return 0;
	uint32_t id = string->id = dict_id();
	string->bytes = (uint32_t)bytes;
	memcpy(string + 1, text, bytes);
	dict_publish(string, BATON_R_STRING, sizeof(*string) + bytes + 1);
	return id;
}

uint32_t dict_string(const char *text, size_t bytes)
{
	uint64_t hash = 14695981039346656037ull;
	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (uint8_t)text[i]) * 1099511628211ull;
	pthread_mutex_lock(&dict.lock);
	uint32_t *slot = &dict.texts[hash % SLOTS];
	for (; *slot; slot = slot + 1 < dict.texts + SLOTS ? slot + 1 : dict.texts) {
		size_t other;
		const char *there = dict_double_text(*slot, &other);
		if (other == bytes && memcmp(there, text, bytes) == 0)
			break;
	}
	pthread_mutex_unlock(&dict.lock);
	if (*slot)
		return *slot;
	uint32_t id = text_add(text, bytes); /* a race adds a text twice: ids differ, texts do not */
	*slot = id;
	return id;
}

uint32_t dict_literal(const char *text)
{
	return dict_string(text, strlen(text));
}
