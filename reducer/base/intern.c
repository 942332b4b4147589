#include "base/intern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void intern_free(struct intern *intern)
{
	free(intern->tuples);
	table_free(&intern->table);
	*intern = intern_of(intern->words, intern->most);
}

int intern_get(struct intern *intern, const uint32_t *tuple, uint32_t *number)
{
	size_t bytes = intern->words * sizeof(*tuple);
	struct table_rows rows = {(void **)&intern->tuples, &intern->n, {bytes, bytes}};
	uint32_t row;
	if (intern->n < intern->most)
		row = table_add(&intern->table, rows, tuple);
	else
		row = table_find(&intern->table, intern->tuples, rows.shape, tuple);
	*number = row ? row - 1 : INTERN_FULL;
	return row || intern->n == intern->most ? 0 : -ENOMEM;
}
