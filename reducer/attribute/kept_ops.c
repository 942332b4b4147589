#include "attribute/kept_ops.h"

#include "base/room.h"

#include <errno.h>
#include <stdlib.h>

void kept_ops_open(struct kept_ops *kept, size_t most)
{
	*kept = (struct kept_ops){.most = most, .calls.most = 2 * most};
}

void kept_ops_clear(struct kept_ops *kept)
{
	kept->n = kept->n_more = 0;
	kept->whole = kept->stepped = kept->full = kept->deep = false;
	kept->calls.n = 0;
}

bool kept_ops_begin(struct kept_ops *kept, size_t rows, uint32_t slots)
{
	size_t room = kept->room ? kept->room : 1024;
	kept->n = kept->n_more = 0;
	kept->whole = kept->stepped = kept->full = kept->deep = false;
	if (rows >= kept->most || slots >= KEPT_SLOTS)
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

int kept_ops_add_more(struct kept_ops *kept, const struct op *op)
{
	if (room_for((void **)&kept->more, kept->n_more, &kept->more_room, 256, sizeof(*kept->more)))
		return -ENOMEM;
	kept->more[kept->n_more++] =
		(struct kept_more){op->bytes, op->correlation, op->ends, op->copy_dir};
	return 0;
}

void kept_ops_free(struct kept_ops *kept)
{
	free(kept->at);
	free(kept->more);
	kept_calls_free(&kept->calls);
	*kept = (struct kept_ops){0};
}
