#include "attribute/host_parts.h"

#include "base/room.h"
#include "base/saturate.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

int host_parts_add(struct host_parts *parts, int64_t from, int64_t to)
{
	if (from >= to)
		return 0;
	if (room_for((void **)&parts->at, parts->n, &parts->room, 4, sizeof(*parts->at)) != 0)
		return -ENOMEM;
	parts->at[parts->n++] = (struct host_part){from, to};
	return 0;
}

static int by_begin(const void *a, const void *b)
{
	const struct host_part *x = a, *y = b;
	return (x->from > y->from) - (x->from < y->from);
}

void host_parts_join(struct host_parts *parts, int64_t apart)
{
	size_t n = 0;
	sort_rows(parts->at, parts->n, sizeof(*parts->at), by_begin);
	for (size_t i = 0; i < parts->n; i++) {
		struct host_part part = parts->at[i];
		if (n == 0 || part.from > saturate_add(parts->at[n - 1].to, apart))
			parts->at[n++] = part;
		else if (part.to > parts->at[n - 1].to)
			parts->at[n - 1].to = part.to;
	}
	parts->n = n;
}

void host_parts_free(struct host_parts *parts)
{
	free(parts->at);
	*parts = (struct host_parts){0};
}
