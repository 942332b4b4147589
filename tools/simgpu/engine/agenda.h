/* What happens when: the events of one clock, earliest first. Ties are broken by a number that does
 * not depend on who else runs: events made here count up, events that come from outside (the end of
 * a collective) carry their op's number and come after those made here. One thread at a time. */
#ifndef SIMGPU_ENGINE_AGENDA_H
#define SIMGPU_ENGINE_AGENDA_H

#include <stddef.h>
#include <stdint.h>

#define AGENDA_OUTSIDE ((uint64_t)1 << 63)

struct event {
	int64_t at_ns;
	uint64_t order;
	void (*fire)(void *who);
	void *who;
};

struct agenda {
	struct event *heap;
	size_t n;
	uint32_t room;
	uint64_t made;
	int64_t now_ns;
};

void agenda_free(struct agenda *agenda);
void agenda_add(struct agenda *agenda, int64_t at_ns, void (*fire)(void *who), void *who);
void agenda_add_outside(struct agenda *agenda, int64_t at_ns, uint64_t number,
						void (*fire)(void *who), void *who);
/* Moves the clock to the earliest event and lets it happen. The agenda must not be empty. */
void agenda_step(struct agenda *agenda);

static inline int64_t agenda_next(const struct agenda *agenda)
{
	return agenda->n ? agenda->heap[0].at_ns : INT64_MAX;
}

#endif
