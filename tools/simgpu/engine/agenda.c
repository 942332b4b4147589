#include "engine/agenda.h"

#include "engine/room.h"

#include <stdlib.h>

static inline int before(const struct event *a, const struct event *b)
{
	return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

static void add(struct agenda *agenda, struct event event)
{
	agenda->heap = room_for(agenda->heap, agenda->n, &agenda->room, 256, sizeof(*agenda->heap));
	size_t i = agenda->n++;
	while (i > 0 && before(&event, &agenda->heap[(i - 1) / 2])) {
		agenda->heap[i] = agenda->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	agenda->heap[i] = event;
}

void agenda_add(struct agenda *agenda, int64_t at_ns, void (*fire)(void *who), void *who)
{
	add(agenda, (struct event){at_ns, agenda->made++, fire, who});
}

void agenda_add_outside(struct agenda *agenda, int64_t at_ns, uint64_t number,
						void (*fire)(void *who), void *who)
{
	add(agenda, (struct event){at_ns, AGENDA_OUTSIDE | number, fire, who});
}

void agenda_step(struct agenda *agenda)
{
	struct event first = agenda->heap[0], last = agenda->heap[--agenda->n];
	size_t i = 0, n = agenda->n;
	for (size_t child = 1; child < n; child = 2 * i + 1) {
		if (child + 1 < n && before(&agenda->heap[child + 1], &agenda->heap[child]))
			child++;
		if (!before(&agenda->heap[child], &last))
			break;
		agenda->heap[i] = agenda->heap[child];
		i = child;
	}
	if (n)
		agenda->heap[i] = last;
	agenda->now_ns = first.at_ns;
	first.fire(first.who);
}

void agenda_free(struct agenda *agenda)
{
	free(agenda->heap);
	*agenda = (struct agenda){0};
}
