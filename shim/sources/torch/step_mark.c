#include "sources/torch/step_mark.h"

#include "base/clock.h"
#include "base/guard.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "sources/torch/backward.h"

#include <string.h>

enum { NAME_MOST = 256 };

SHIM_EXPORT void baton_optimizer_step(const char *optimizer)
{
	int saved_errno;
	struct baton_lane *lane = recording_is_open() ? lane_here() : NULL;
	bool again = !backward_ran();
	if (!lane || !optimizer || !guard_enter(&saved_errno))
		return;
	uint64_t now = clock_ticks();
	lane_put(lane,
			 (struct baton_slot){.begin = now,
								 .end = now,
								 .name = dict_string(optimizer, strnlen(optimizer, NAME_MOST)),
								 .aux = BATON_RANGE_OPTIMIZER,
								 .type = BATON_SLOT_RANGE,
								 .correlation = again ? dict_literal("again") : 0});
	guard_leave(saved_errno);
}
