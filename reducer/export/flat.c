#include "export/flat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 1024 };

static int reserve(struct flat *flat, size_t more)
{
	if (flat->error || flat->n + more <= flat->room)
		return flat->error;
	size_t room = flat->room ? 2 * flat->room : LEAST_ROOM;
	while (room < flat->n + more)
		room *= 2;
	uint8_t *larger = malloc(room);
	if (!larger) {
		flat->error = -ENOMEM;
		return flat->error;
	}
	if (flat->n)
		memcpy(larger + room - flat->n, flat_bytes(flat), flat->n);
	free(flat->at);
	flat->at = larger;
	flat->room = room;
	return 0;
}

static void put(struct flat *flat, const void *at, size_t n)
{
	if (reserve(flat, n) != 0)
		return;
	flat->n += n;
	if (n)
		memcpy(flat->at + flat->room - flat->n, at, n);
}

static void pad(struct flat *flat, size_t n)
{
	static const uint8_t zeros[16];
	put(flat, zeros, n);
}

/* So that after `more` bytes the place is a multiple of `align`. */
static void align_for(struct flat *flat, size_t align, size_t more)
{
	flat->most_align = align > flat->most_align ? align : flat->most_align;
	pad(flat, (align - (flat->n + more) % align) % align);
}

static void put_u32(struct flat *flat, uint32_t value)
{
	put(flat, &value, sizeof(value));
}

/* The distance from here, after it, to a place. */
static void put_distance(struct flat *flat, uint32_t place)
{
	align_for(flat, 4, 4);
	put_u32(flat, (uint32_t)flat->n + 4 - place);
}

uint32_t flat_text(struct flat *flat, const char *text)
{
	const size_t bytes = strlen(text);
	align_for(flat, 4, bytes + 1 + 4);
	put(flat, text, bytes + 1);
	put_u32(flat, (uint32_t)bytes);
	return (uint32_t)flat->n;
}

uint32_t flat_structs(struct flat *flat, const void *at, size_t n, size_t size)
{
	align_for(flat, 8, n * size);
	put(flat, at, n * size);
	put_u32(flat, (uint32_t)n);
	return (uint32_t)flat->n;
}

uint32_t flat_places(struct flat *flat, const uint32_t *places, size_t n)
{
	align_for(flat, 4, 4 * n + 4);
	for (size_t i = n; i-- > 0;)
		put_distance(flat, places[i]);
	put_u32(flat, (uint32_t)n);
	return (uint32_t)flat->n;
}

void flat_table(struct flat *flat)
{
	memset(flat->fields, 0, sizeof(flat->fields));
	flat->table = (uint32_t)flat->n;
}

void flat_number(struct flat *flat, unsigned field, int64_t value, size_t bytes)
{
	align_for(flat, bytes, bytes);
	put(flat, &value, bytes); /* little-endian, as this machine is */
	flat->fields[field] = (uint32_t)flat->n;
}

void flat_place(struct flat *flat, unsigned field, uint32_t place)
{
	put_distance(flat, place);
	flat->fields[field] = (uint32_t)flat->n;
}

uint32_t flat_table_end(struct flat *flat)
{
	unsigned n = FLAT_FIELDS_MOST;
	uint16_t offsets[2 + FLAT_FIELDS_MOST];
	while (n > 0 && flat->fields[n - 1] == 0)
		n--;
	align_for(flat, 4, 4);
	const uint32_t place = (uint32_t)flat->n + 4;
	offsets[0] = (uint16_t)(2 * (2 + n));
	offsets[1] = (uint16_t)(place - flat->table);
	for (unsigned i = 0; i < n; i++)
		offsets[2 + i] = (uint16_t)(flat->fields[i] ? place - flat->fields[i] : 0);
	/* the list of offsets comes in front of the table, which tells how far */
	put_u32(flat, offsets[0]);
	put(flat, offsets, offsets[0]);
	return place;
}

void flat_finish(struct flat *flat, uint32_t root)
{
	align_for(flat, 8, 4);
	put_u32(flat, (uint32_t)flat->n + 4 - root);
}
