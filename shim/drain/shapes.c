#include "drain/shapes.h"

#include "base/memory.h"
#include "ring/dict.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum {
	SAID = offsetof(struct baton_r_shape, registers), /* what tells one shape from another */
	SAID_BYTES = offsetof(struct baton_r_shape, zero) - SAID,
	MOST = MEMORY_SHAPES / 4 * 3
};

static uint32_t *places; /* of the records in the dictionary, found by what they say */
static uint32_t n_shapes;
static uint64_t lost;

static const uint8_t *said(const struct baton_r_shape *shape)
{
	return (const uint8_t *)shape + SAID;
}

static uint32_t add(const struct baton_r_shape *shape, uint32_t *place)
{
	struct baton_r_shape *row = n_shapes < MOST ? dict_reserve_stack(sizeof(*row)) : NULL;
	if (!row) {
		lost++;
		return 0;
	}
	const uint32_t id = row->id = dict_id();
	memcpy((uint8_t *)row + SAID, said(shape), SAID_BYTES);
	row->zero = 0;
	*place = dict_place(row);
	dict_publish(row, BATON_R_SHAPE, sizeof(*row));
	n_shapes++;
	return id;
}

uint32_t shapes_id(const struct baton_r_shape *shape)
{
	if (!places)
		places = calloc(MEMORY_SHAPES, sizeof(*places));
	if (!places) {
		lost++;
		return 0;
	}
	uint32_t i = (uint32_t)XXH3_64bits(said(shape), SAID_BYTES) % MEMORY_SHAPES;
	for (; places[i]; i = (i + 1) % MEMORY_SHAPES) {
		const struct baton_r_shape *row = dict_at(places[i]);
		if (row && memcmp(said(row), said(shape), SAID_BYTES) == 0)
			return row->id;
	}
	return add(shape, &places[i]);
}

uint64_t shapes_lost(void)
{
	return lost;
}

void shapes_forget(void)
{
	free(places);
	places = NULL;
	n_shapes = 0;
	lost = 0;
}
