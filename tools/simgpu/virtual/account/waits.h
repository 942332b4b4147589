/* What a device waited for while only collectives ran on it: in each moment the member that came
 * last to the collective, what that device did then, and where it waited too, whom for. */
#ifndef SIMGPU_VIRTUAL_ACCOUNT_WAITS_H
#define SIMGPU_VIRTUAL_ACCOUNT_WAITS_H

#include "virtual/account/account.h"

enum waits_kind {
	WAITS_TRANSFER, /* the data moves */
	WAITS_WORK,     /* the device that comes last computes or copies */
	WAITS_IDLE,     /* it has nothing to run: the cause of that */
	WAITS_CIRCLE    /* devices wait for one another in several collectives */
};

struct waits_piece {
	int64_t from_ns, to_ns;
	enum waits_kind kind;
	enum cause cause; /* of WAITS_IDLE */
	uint32_t device;  /* whose doing it is; of a transfer the device itself */
};

struct waits { /* pieces of one device, in the order of time */
	struct waits_piece *at;
	size_t n;
	uint32_t room;
};

/* Of device `index` of `all`, when all is over. Times are those of the engine. */
void waits_of(struct waits *waits, const struct account *const *all, uint32_t index);

#endif
