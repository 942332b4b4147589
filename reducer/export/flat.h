/* FlatBuffers, as Arrow's metadata has them, written from the end: what a table points to is made
 * before the table. A place is a distance from the end of the buffer. */
#ifndef EXPORT_FLAT_H
#define EXPORT_FLAT_H

#include <stddef.h>
#include <stdint.h>

enum { FLAT_FIELDS_MOST = 8 };

struct flat {    /* zeros: empty; free(at) */
	uint8_t *at; /* filled from the end */
	size_t n, room;
	size_t most_align;
	int error; /* -ENOMEM */
	/* of the table that is being made */
	uint32_t fields[FLAT_FIELDS_MOST]; /* where each lies; 0: it has its default */
	uint32_t table;
};

/* The finished bytes. */
static inline const uint8_t *flat_bytes(const struct flat *flat)
{
	return flat->at + flat->room - flat->n;
}

uint32_t flat_text(struct flat *flat, const char *text);
/* Structs of `size` bytes each, which hold numbers of `align` bytes. */
uint32_t flat_structs(struct flat *flat, const void *at, size_t n, size_t size);
/* Tables or texts, by their places. */
uint32_t flat_places(struct flat *flat, const uint32_t *places, size_t n);

void flat_table(struct flat *flat);
void flat_number(struct flat *flat, unsigned field, int64_t value, size_t bytes);
void flat_place(struct flat *flat, unsigned field, uint32_t place);
uint32_t flat_table_end(struct flat *flat);
/* `root` is the table of all. The bytes are a multiple of eight. */
void flat_finish(struct flat *flat, uint32_t root);

#endif
