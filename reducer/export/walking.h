/* The walk through one process: what its parts share. */
#ifndef EXPORT_WALKING_H
#define EXPORT_WALKING_H

#include "export/lanes.h"
#include "export/launches.h"

struct shown_meeting { /* a collective of which a member was shown */
	uint64_t id;
	int64_t ns;
	uint64_t track;
};

struct queue_change {
	int64_t ns;
	int32_t by;
	uint32_t device; /* index in the trace */
};

struct walking {
	const struct scene *scene;
	const struct walk_sink *sink;
	uint32_t next_track;
	uint64_t next_launch_flow; /* of slices */
	uint64_t next_flow;        /* of flows by themselves */
	struct shown_meeting *meetings;
	size_t n_meetings;
	struct table meeting_ids;
	uint64_t crowded;
	/* by device of the run: where its steps and its idle time begin in the scene, which has those
	 * of a device together */
	size_t *first_step, *first_idle;
	/* of the process at hand */
	uint32_t process, position;
	struct trace *trace;
	struct launches launches;
	struct peers peers;  /* of all processes */
	struct lanes *lanes; /* of streams; of threads: their calls and nested ranges, other ranges */
	struct queue_change *queue;
	size_t n_queue, queue_room;
	uint64_t op_numbers; /* given so far */
};

static inline const char *walking_text(const struct walking *w, int64_t string)
{
	return strings_get(&w->trace->strings, idmap_get(&w->trace->string_ids, (uint64_t)string)).at;
}

/* Puts a slice into lanes; one without room is counted. 0 or -errno. */
int walking_put(struct walking *w, struct lanes *lanes, struct walk_slice *slice);
/* Calls and ranges of the threads. */
int walk_host(struct walking *w);
/* Work of the devices, with flows from what walk_host() has seen. */
int walk_ops(struct walking *w);
/* Steps and idle time of the devices whose first process it is, and their gauges; the queues. */
int walk_devices(struct walking *w);

#endif
