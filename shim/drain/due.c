#include "drain/due.h"

#include "base/recording.h"
#include "drain/gpu_rows.h"
#include "drain/trace_rows.h"
#include "ring/live.h"
#include "sources/cupti/cupti_window.h"

#include <baton/drain.h>

#define QUIET_NS (100 * 1000000)
#define COPY_QUIET_NS 3000000000 /* a copy is not that long, and one of no bytes never comes */

static uint64_t missing(uint64_t made, uint64_t came)
{
	return made > came ? made - came : 0;
}

struct due due(const struct baton_drain *drain)
{
	struct gpu_rows_counts came = gpu_rows_counts();
	return (struct due){.calls = cupti_window_inside(),
						.kernels = missing(drain->launches, came.lost + drain->kernels),
						.graphs = missing(drain->graphs, came.lost + came.graphs),
						.copies = missing(drain->copies, came.lost + came.copies)};
}

/* CUPTI does not say how many nodes a graph has. The next one is taken to come within the time of
 * two of the longest. */
bool due_is_here(const struct baton_drain *drain, int64_t quiet_ns)
{
	struct due rest = due(drain);
	int64_t node_ns = 2 * gpu_rows_counts().longest_node_ns;
	int64_t quiet_enough = node_ns > QUIET_NS ? node_ns : QUIET_NS;
	if (rest.calls || rest.kernels || rest.graphs)
		return false;
	return quiet_ns > (rest.copies ? COPY_QUIET_NS : quiet_enough);
}

/* Slots of graphs or copies: how many GPU records there were of them is not known. */
static bool lost_work(void)
{
	for (uint32_t i = 0; i < atomic_load(&live->lanes_used); i++)
		if (atomic_load(&live_lane(i)->dropped_work))
			return true;
	return false;
}

/* CUPTI counts what it drops of all kinds, its own overhead too: no more than what is missing is a
 * loss. With graphs all counts: it is not known how many of their nodes are missing. So does it while
 * slots are in the rings that a full disk keeps there: their launches are not counted yet. */
uint64_t due_lost(const struct baton_drain *drain)
{
	struct gpu_rows_counts came = gpu_rows_counts();
	if (drain->graphs || lost_work() || trace_rows_left())
		return came.lost;
	uint64_t due = missing(drain->launches, drain->kernels) + missing(drain->copies, came.copies);
	return came.lost < due ? came.lost : due;
}

/* A copy of no bytes never comes. Copies count as waiting only while other work waits too. */
uint64_t due_others(const struct due *rest, uint64_t shown, bool forced)
{
	bool waits = rest->kernels || rest->graphs || shown || !forced;
	uint64_t due = rest->graphs + (waits ? rest->copies : 0);
	return due > shown ? due : shown;
}
