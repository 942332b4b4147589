#include "attribute/kept_ops.h"

#include <stdlib.h>

void kept_ops_clear(struct kept_ops *kept)
{
	kept->n = 0;
	kept->whole = kept->stepped = kept->full = kept->deep = false;
	kept->calls.n = 0;
}

bool kept_ops_begin(struct kept_ops *kept, size_t rows)
{
	size_t room = kept->room ? kept->room : 1024;
	kept->n = 0;
	kept->whole = kept->stepped = kept->full = kept->deep = false;
	if (rows >= KEPT_OPS_MOST || rows >= kept->most)
		return false;
	while (room <= rows)
		room *= 2;
	if (room == kept->room)
		return true;
	free(kept->at);
	kept->at = malloc(room * sizeof(*kept->at));
	kept->room = kept->at ? room : 0;
	return kept->at != NULL;
}

void kept_ops_free(struct kept_ops *kept)
{
	free(kept->at);
	kept_calls_free(&kept->calls);
	*kept = (struct kept_ops){0};
}
