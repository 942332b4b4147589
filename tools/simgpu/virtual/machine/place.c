#include "virtual/machine/place.h"

#include "engine/room.h"

void place_queue(struct place *place)
{
	struct world *w = place->world;
	place->state = PLACE_QUEUED;
	place->next = NULL;
	*w->queue_tail = place;
	w->queue_tail = &place->next;
}

void place_expect(struct place *place, struct gpu_op *op, int64_t at_ns)
{
	place->pending = room_for(place->pending, place->n_pending, &place->pending_room, 16,
							  sizeof(*place->pending));
	place->pending[place->n_pending++] = (struct outside){op, at_ns};
}

void place_tell(struct place *place, struct gpu_op *op, int64_t at_ns)
{
	struct world *w = place->world;
	pthread_mutex_lock(&w->lock);
	place->inbox =
		room_for(place->inbox, place->n_inbox, &place->inbox_room, 16, sizeof(*place->inbox));
	place->inbox[place->n_inbox++] = (struct outside){op, at_ns};
	if (place->state == PLACE_WAITING) {
		place_queue(place);
		pthread_cond_signal(&w->changed);
	}
	pthread_mutex_unlock(&w->lock);
}

/* The end of a collective, in its own host's time. */
static void met(void *who)
{
	struct gpu_op *op = who;
	if (op->gpu->agenda->now_ns > op->launch.met_ns)
		op->launch.met_ns = op->gpu->agenda->now_ns;
	if (--op->launch.meetings == 0)
		gpu_finish(op, op->gpu->agenda->now_ns);
}

void place_read_inbox(struct place *place)
{
	for (uint32_t i = 0; i < place->n_inbox; i++) {
		struct outside *message = &place->inbox[i];
		uint32_t p = 0;
		while (place->pending[p].op != message->op)
			p++;
		place->pending[p] = place->pending[--place->n_pending];
		agenda_add_outside(&place->agenda, message->at_ns, message->op->launch.key >> 1, met,
						   message->op);
	}
	place->n_inbox = 0;
}

int64_t place_horizon(const struct place *place)
{
	int64_t at = INT64_MAX;
	for (uint32_t i = 0; i < place->n_pending; i++)
		if (place->pending[i].at_ns < at)
			at = place->pending[i].at_ns;
	return at > place->grant_ns ? at : place->grant_ns;
}
