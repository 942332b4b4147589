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

int array_reach(void **array, uint32_t *room, uint32_t n, size_t element_bytes)
{
	if (n < *room)
		return 0;
	uint32_t wanted = *room ? 2 * *room : 64;
	while (wanted <= n)
		wanted *= 2;
	char *larger = realloc(*array, wanted * element_bytes);
	if (!larger)
		return -ENOMEM;
	memset(larger + *room * element_bytes, 0, (wanted - *room) * element_bytes);
	*array = larger;
	*room = wanted;
	return 0;
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
