/* Numbers tuples of u32 from 0 in order of arrival; equal tuples have one number. When `most`
 * tuples have a number, no new tuple gets one. One thread. */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intern {
	uint32_t words; /* words per tuple */
	uint32_t most;
	uint32_t *tuples;
	size_t n;
	struct table table;
};

static inline struct intern intern_of(uint32_t words, uint32_t most)
{
	return (struct intern){.words = words, .most = most};
}
void intern_free(struct intern *intern);

/* *number: the number of a tuple; INTERN_FULL when it is new and `most` tuples have numbers. 0 or
 * -ENOMEM. */
#define INTERN_FULL UINT32_MAX
int intern_get(struct intern *intern, const uint32_t *tuple, uint32_t *number);

static inline const uint32_t *intern_tuple(const struct intern *intern, uint32_t number)
{
	return intern->tuples + (size_t)number * intern->words;
}

#endif
