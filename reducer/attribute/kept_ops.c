#include "attribute/kept_ops.h"

#include "base/room.h"

#include <errno.h>
#include <stdlib.h>

/* Some 70 bytes each with a call: a thread keeps so many, as long as that is not beyond all. Where
 * they have many devices to read a few threads keep more, so many together. */
enum {
	KEPT_EACH = 1 << 17,
	KEPT_ALL = 3 << 20,
	KEPT_TOGETHER = 3 << 18,
	KEPT_CALLS = 1 << 18, /* a thread keeps so many at least */
	MANY_DEVICES = 8      /* of a thread */
};

size_t kept_ops_most(size_t threads, size_t devices)
{
	const size_t each = KEPT_ALL / threads < KEPT_EACH ? KEPT_ALL / threads : KEPT_EACH;
	const size_t more = devices / threads >= MANY_DEVICES ? KEPT_TOGETHER / threads : 0;
	return more > each ? more : each;
}

void kept_ops_open(struct kept_ops *kept, size_t most)
{
	*kept = (struct kept_ops){.most = most,
							  .calls.most = 2 * most > KEPT_CALLS ? 2 * most : KEPT_CALLS};
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

bool kept_ops_reach_far(const struct kept_ops *kept)
{
	const struct kept_calls *calls = &kept->calls;
	uint32_t begun = 0;
	for (size_t i = 0; calls->n >= KEPT_NEAR / 2 && i < kept->n; i++) {
		const struct kept_op *op = &kept->at[i];
		while (begun < calls->n && calls->at[begun].start <= op->start)
			begun++;
		if (op->flags & OP_MATCHED && begun > op->call && begun - op->call >= KEPT_NEAR / 2)
			return true;
	}
	return false;
}

void kept_ops_free(struct kept_ops *kept)
{
	free(kept->at);
	free(kept->more);
	kept_calls_free(&kept->calls);
	*kept = (struct kept_ops){0};
}
