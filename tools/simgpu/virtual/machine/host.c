#include "virtual/machine/host.h"

#include "engine/room.h"

void host_queue(struct host *host)
{
	struct world *w = host->world;
	host->state = HOST_QUEUED;
	host->next = NULL;
	*w->queue_tail = host;
	w->queue_tail = &host->next;
}

void host_expect(struct host *host, struct gpu_op *op, int64_t at_ns)
{
	host->pending =
		room_for(host->pending, host->n_pending, &host->pending_room, 16, sizeof(*host->pending));
	host->pending[host->n_pending++] = (struct outside){.op = op, .at_ns = at_ns};
}

void host_tell(struct host *host, struct outside message)
{
	struct world *w = host->world;
	pthread_mutex_lock(&w->lock);
	host->inbox = room_for(host->inbox, host->n_inbox, &host->inbox_room, 16, sizeof(*host->inbox));
	host->inbox[host->n_inbox++] = message;
	if (host->state == HOST_WAITING) {
		host_queue(host);
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

void host_read_inbox(struct host *host)
{
	for (uint32_t i = 0; i < host->n_inbox; i++) {
		struct outside *message = &host->inbox[i];
		uint32_t p = 0;
		while (host->pending[p].op != message->op)
			p++;
		host->pending[p] = host->pending[--host->n_pending];
		if (message->last_ns >= message->op->launch.last_ns) {
			message->op->launch.last_ns = message->last_ns;
			message->op->launch.last = message->last;
		}
		agenda_add_outside(&host->agenda, message->at_ns, message->op->launch.key >> 1, met,
						   message->op);
	}
	host->n_inbox = 0;
}

int64_t host_horizon(const struct host *host)
{
	int64_t at = INT64_MAX;
	for (uint32_t i = 0; i < host->n_pending; i++)
		if (host->pending[i].at_ns < at)
			at = host->pending[i].at_ns;
	return at > host->grant_ns ? at : host->grant_ns;
}
