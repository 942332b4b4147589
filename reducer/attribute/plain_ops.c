#include "attribute/plain_ops.h"

#include "base/room.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>

bool plain_ops_fit(const struct opstream *stream)
{
	return stream->n_feeds == 1 && stream->feeds[0].late_ns == 0;
}

/* The rows after the one in hand. */
static void take_block(struct plain_ops *plain)
{
	const struct rows *ops = &plain->feed->ops;
	plain->at = plain->last = 0;
	if (!plain->feed->ops_left)
		return;
	plain->columns = columns_of(ops);
	plain->at = ops->now->at;
	plain->last = ops->now->n - 1;
	plain->until = ops->now_until;
}

void plain_ops_open(struct plain_ops *plain, struct opstream *stream)
{
	*plain = (struct plain_ops){.stream = stream, .feed = &stream->feeds[0]};
	take_block(plain);
}

void plain_ops_close(struct plain_ops *plain)
{
	free(plain->together);
	plain->together = NULL;
}

/* Makes the current row one of those that start together, and goes on. */
static int take_row(struct plain_ops *plain)
{
	struct feed *feed = plain->feed;
	const struct op_columns columns = columns_of(&feed->ops);
	struct launch *launch;
	if (room_for((void **)&plain->together, plain->n_together, &plain->together_room, 16,
				 sizeof(*plain->together)) != 0)
		return -ENOMEM;
	struct op *op = &plain->together[plain->n_together++];
	op->feed = 0;
	plain->odd |= !read_op(feed, &columns, feed->ops.now->at, op, &launch);
	feed->ops_left = rows_next(&feed->ops);
	return feed->ops.error;
}

/* Takes the ops that start where the current row does. */
static int take_instant(struct plain_ops *plain)
{
	struct feed *feed = plain->feed;
	const int64_t start = rows_value(&feed->ops, OP_START);
	int error = feed_load_calls(feed, start);
	plain->n_together = plain->n_given = 0;
	plain->at = plain->last = 0; /* until all of them are given */
	while (!error && !plain->odd && feed->ops_left && rows_value(&feed->ops, OP_START) == start)
		error = take_row(plain);
	if (error || plain->odd)
		return error;
	if (plain->n_together > 1)
		sort_rows_with(plain->together, plain->n_together, sizeof(*plain->together), op_order,
					   plain->stream);
	for (size_t i = 0; i < plain->n_together && !plain->odd; i++) {
		struct op *op = &plain->together[i];
		plain->odd =
			!plain_ops_settle(plain, op, feed->dense ? NULL : feed_launch(feed, op->correlation));
	}
	return 0;
}

bool plain_ops_turn(struct plain_ops *plain, struct op *op)
{
	struct feed *feed = plain->feed;
	if (plain->n_given == plain->n_together && feed->ops_left) {
		feed->ops.read += plain->at - feed->ops.now->at;
		feed->ops.now->at = plain->at;
		plain->error = take_instant(plain);
	} else if (plain->n_given == plain->n_together) {
		plain->error = feed_load_calls(feed, INT64_MAX); /* late launches, to be learned */
	}
	plain->odd |= feed->late_collective;
	if (plain->error || plain->odd || plain->n_given == plain->n_together)
		return false;
	*op = plain->together[plain->n_given++];
	if (plain->n_given == plain->n_together)
		take_block(plain);
	return true;
}
