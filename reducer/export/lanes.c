#include "export/lanes.h"

#include "base/room.h"
#include "base/saturate.h"

#include <errno.h>
#include <stdlib.h>

/* Ends what ended by `ns`. */
static int end_until(struct lane *lane, const struct walk_sink *sink, int64_t ns)
{
	int error = 0;
	while (!error && lane->n_open && lane->open[lane->n_open - 1].end_ns <= ns) {
		const int64_t end = lane->open[--lane->n_open].end_ns;
		error = sink->end ? sink->end(sink->of, lane->track, end) : 0;
	}
	return error;
}

static int add_lane(struct lanes *lanes, const struct walk_sink *sink, uint32_t *next_track)
{
	if (room_next((void **)&lanes->lane, lanes->n, sizeof(*lanes->lane)) != 0)
		return -ENOMEM;
	lanes->of.id = (*next_track)++;
	lanes->of.lane = lanes->n;
	lanes->lane[lanes->n++] = (struct lane){.track = lanes->of.id};
	return sink->track ? sink->track(sink->of, &lanes->of) : 0;
}

/* A lane where it lies inside of all that is open, which is ended as far as it is over. */
static int find_lane(struct lanes *lanes, const struct walk_sink *sink,
					 const struct walk_slice *slice, struct lane **found)
{
	const int64_t end = saturate_add(slice->start_ns, slice->dur_ns);
	*found = NULL;
	for (uint32_t i = 0; i < lanes->n && !*found; i++) {
		struct lane *lane = &lanes->lane[i];
		int error = end_until(lane, sink, slice->start_ns);
		if (error)
			return error;
		if (!lane->n_open || lane->open[lane->n_open - 1].end_ns >= end)
			*found = lane;
	}
	return 0;
}

int lanes_put(struct lanes *lanes, const struct walk_sink *sink, struct walk_slice *slice,
			  uint32_t *next_track)
{
	struct lane *lane;
	int error = find_lane(lanes, sink, slice, &lane);
	if (!error && !lane) {
		if (lanes->n == LANES_MOST)
			return 1;
		error = add_lane(lanes, sink, next_track);
		lane = error ? NULL : &lanes->lane[lanes->n - 1];
	}
	if (!error)
		error = room_for((void **)&lane->open, lane->n_open, &lane->room, 8, sizeof(*lane->open));
	if (error)
		return error;
	slice->track = lane->track;
	if (!slice->op_number && lane->n_open)
		slice->op_number = lane->open[lane->n_open - 1].op_number;
	lane->open[lane->n_open++] =
		(struct lane_open){saturate_add(slice->start_ns, slice->dur_ns), slice->op_number};
	return sink->begin ? sink->begin(sink->of, slice) : 0;
}

int lanes_close(struct lanes *lanes, const struct walk_sink *sink)
{
	int error = 0;
	for (uint32_t i = 0; i < lanes->n; i++) {
		if (!error)
			error = end_until(&lanes->lane[i], sink, INT64_MAX);
		free(lanes->lane[i].open);
	}
	free(lanes->lane);
	lanes->lane = NULL;
	lanes->n = 0;
	return error;
}
