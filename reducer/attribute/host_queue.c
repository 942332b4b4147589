#include "attribute/host_queue.h"

#include "base/room.h"

#include <errno.h>
#include <string.h>

int host_queue_reserve(struct host_queue *q)
{
	size_t n = q->tail - q->head;
	if (q->head <= n && room_for((void **)&q->at, q->tail, &q->room, 256, sizeof(*q->at)) != 0)
		return -ENOMEM;
	memmove(q->at, q->at + q->head, n * sizeof(*q->at));
	q->head = 0;
	q->tail = n;
	return 0;
}

int host_queue_insert(struct host_queue *q, const struct host_rec *rec)
{
	int error = host_queue_push(q, rec);
	for (size_t i = q->tail - 1; !error && i > q->head && q->at[i - 1].start > rec->start; i--) {
		q->at[i] = q->at[i - 1];
		q->at[i - 1] = *rec;
	}
	return error;
}
