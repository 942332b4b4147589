/* What a walk hands out: processes, tracks, slices, flows, counters, with nothing of any format. Names
 * point into the open trace and are valid during the call only. */
#ifndef EXPORT_SINK_H
#define EXPORT_SINK_H

#include "export/peers.h"
#include "export/scene.h"
#include "read/trace.h"

struct walk_process {  /* a track that holds those of a process */
	uint32_t place;    /* index in the run */
	uint32_t position; /* in the order of ranks */
	int32_t rank;      /* -1: not known */
	int64_t pid;
	const char *host;
	const struct trace *trace;
};

enum walk_track_kind { TRACK_STEPS, TRACK_IDLE, TRACK_STREAM, TRACK_COUNTER, TRACK_THREAD };

struct walk_track {
	uint32_t id; /* from 1 */
	enum walk_track_kind kind;
	uint32_t process; /* its position */
	int32_t device;   /* ordinal; -1: of a thread */
	int64_t number;   /* of the stream, or of the thread */
	uint32_t lane;    /* 0; 1 and up hold what overlaps with the lanes before */
	char name[160];
	const char *unit; /* of a counter, or "" */
};

/* Where slices come from. */
enum walk_kind { WALK_STEP, WALK_IDLE, WALK_OP, WALK_CALL, WALK_RANGE, WALK_OVERHEAD };

struct walk_row {   /* a row of a trace */
	unsigned table; /* enum baton_kind */
	uint32_t present;
	int64_t value[BATON_MAX_COLUMNS];
};

struct walk_slice {
	enum walk_kind kind;
	uint32_t track;
	int64_t start_ns, dur_ns; /* since the scene's origin */
	const char *name, *category;
	const struct walk_row *row;  /* NULL: of steps and idle time */
	const struct walk_row *coll; /* the arguments of its collective; NULL: none */
	const struct trace *trace;
	uint64_t flows[2];            /* of its launch, and of its collective; 0: none */
	const struct peer_end *peers; /* and of its sends and receives */
	size_t n_peers;
	/* the innermost operator around the call or the launch, or the range itself when it is one; 0:
	 * none. From 1 in each process. */
	uint64_t op_number;
	int64_t number; /* of a step */
};

struct walk_place {
	uint32_t track;
	int64_t ns;
};

enum walk_flow_kind { FLOW_LAUNCH, FLOW_COLLECTIVE, FLOW_SEND };

struct walk_flow { /* each of its own; flows of slices have one number for all that are linked */
	uint64_t id;
	enum walk_flow_kind kind;
	struct walk_place from, to;
};

/* What takes it; those that are NULL are not wanted. 0 or -errno, which ends the walk. Slices of a
 * track come in order of start, those around others first, and end before what begins then. */
struct walk_sink {
	void *of;
	bool sends; /* slices say which other ranks their sends and receives met */
	int (*process)(void *of, const struct walk_process *process);
	int (*process_end)(void *of);
	int (*track)(void *of, const struct walk_track *track);
	int (*begin)(void *of, const struct walk_slice *slice);
	int (*end)(void *of, uint32_t track, int64_t ns);
	int (*flow)(void *of, const struct walk_flow *flow);
	int (*counter)(void *of, uint32_t track, int64_t ns, int64_t value);
	/* Rows of the sync table, in order, that overlap the calls that made them. */
	int (*sync)(void *of, const struct walk_row *row, const struct trace *trace);
};

#endif
