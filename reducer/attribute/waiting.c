#include "attribute/waiting.h"

#include "base/room.h"

#include <errno.h>
#include <stdlib.h>

void waiting_close(struct waiting *waiting)
{
	free(waiting->at);
	*waiting = (struct waiting){0};
}

int waiting_push(struct waiting *waiting, int64_t begin, uint32_t thread)
{
	if (room_for((void **)&waiting->at, waiting->n, &waiting->room, 16, sizeof(*waiting->at)) != 0)
		return -ENOMEM;
	size_t i = waiting->n++;
	for (; i > 0 && waiting->at[(i - 1) / 2].begin > begin; i = (i - 1) / 2)
		waiting->at[i] = waiting->at[(i - 1) / 2];
	waiting->at[i] = (struct waiting_thread){begin, thread};
	return 0;
}

bool waiting_pop(struct waiting *waiting, int64_t to, uint32_t *thread)
{
	if (waiting->n == 0 || waiting->at[0].begin >= to)
		return false;
	*thread = waiting->at[0].thread;
	struct waiting_thread last = waiting->at[--waiting->n];
	size_t i = 0;
	for (size_t child; (child = 2 * i + 1) < waiting->n; i = child) {
		if (child + 1 < waiting->n && waiting->at[child + 1].begin < waiting->at[child].begin)
			child++;
		if (waiting->at[child].begin >= last.begin)
			break;
		waiting->at[i] = waiting->at[child];
	}
	waiting->at[i] = last;
	return true;
}
