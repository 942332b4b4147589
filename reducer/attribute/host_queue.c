#include "attribute/host_queue.h"

#include "base/room.h"

#include <errno.h>
#include <string.h>

/* Moves what is left to the front, or makes more room. */
static int reserve(void **at, size_t *head, size_t *tail, size_t *room, size_t bytes)
{
	const size_t n = *tail - *head;
	if (*head <= n && room_for(at, *tail, room, 256, bytes) != 0)
		return -ENOMEM;
	memmove(*at, (char *)*at + *head * bytes, n * bytes);
	*head = 0;
	*tail = n;
	return 0;
}

int host_queue_reserve(struct host_queue *q)
{
	return reserve((void **)&q->at, &q->head, &q->tail, &q->room, sizeof(*q->at));
}

int call_queue_reserve(struct call_queue *q)
{
	return reserve((void **)&q->at, &q->head, &q->tail, &q->room, sizeof(*q->at));
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
