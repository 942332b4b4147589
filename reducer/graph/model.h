/* A run as a replay graph, and what its edges stand for: labels of host time, waits for the GPU,
 * transfers, the same work on other devices. Causes (causes.h) change weights by it. */
#ifndef GRAPH_MODEL_H
#define GRAPH_MODEL_H

#include "base/room.h"
#include "graph/graph.h"

#include <stdbool.h>
#include <string.h>

/* What a thread did, the first that holds last. The rest of an edge is the program's own. */
enum label {
	LABEL_NONE,
	LABEL_BLOCKED,
	LABEL_LOCK_NO_CORE,  /* asleep until who holds Python's lock has got a core: of two causes */
	LABEL_LOCK_PROFILER, /* or is through with what the profiler does, a load, an allocation */
	LABEL_LOCK_LOAD,
	LABEL_LOCK_ALLOC,
	LABEL_QUEUE_FULL,
	LABEL_SYNC,
	LABEL_MODULE_LOAD,
	LABEL_ALLOC,
	LABEL_INPUT,
	LABEL_INPUT_NO_CORE, /* for a loader that waits for a core: of two causes */
	LABEL_NO_CORE,
	LABEL_LOAD_NO_CORE, /* in a call that loads, and waiting for a core: of two causes */
	LABEL_ALLOC_NO_CORE,
	LABEL_PROFILER,
	LABELS
};

static inline uint64_t hash_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
	return hash ^ hash >> 29;
}

struct amount { /* of an edge: so much of it has a label */
	int64_t ns;
	uint32_t edge;
	uint8_t label;
};

struct position { /* an edge, and the same work of other devices by its key */
	uint64_t key;
	int64_t ns; /* what is compared: host time, or the op */
	uint32_t edge;
	uint16_t unit;
	uint8_t class;  /* of kernels: enum class_id + 1; with MODEL_GROUP: enum group */
	bool divided;   /* it only keeps its place among those of its key */
	uint64_t place; /* of threads: the key without the step; else 0 */
};

#define MODEL_GROUP 0x80 /* the classes of another taxonomy have only a group */

enum wait_site { WAIT_FREE, WAIT_DEVICE, WAIT_MID, WAIT_END, WAIT_SITES };

struct wait {                     /* a call that waits for the GPU */
	uint32_t first_edge, n_edges; /* in wait_edges */
	uint32_t chain;               /* the edge of the thread that ends where the call does */
	uint32_t process;
	int64_t begin_ns, ns;
	int64_t no_core_ns; /* of its waking */
	int32_t step;
	uint16_t unit;
	uint8_t site; /* enum wait_site */
};

#define COLL_ORDERED UINT32_MAX

struct part {      /* a send or a receive of a member */
	uint32_t peer; /* 1 + its rank in the communicator */
	uint8_t coll;  /* BATON_COLL_SEND or BATON_COLL_RECV */
};

struct member { /* an op that meets others: a collective, or what it sends and receives */
	uint64_t comm, sequence;
	uint32_t coll; /* enum baton_coll; UINT32_MAX: matched by its order */
	int32_t step;  /* where the sequence counts within a step; else -1 */
	int64_t begin_ns, end_ns;
	int64_t bytes;
	uint32_t size;                /* of the communicator; 0: unknown */
	uint32_t calls;               /* of sends and receives */
	uint32_t first_part, n_parts; /* in model.parts: those whose peer is known */
	int32_t own_rank;             /* in the communicator; -1: not recorded */
	uint32_t begin, end;          /* nodes */
	uint32_t op;                  /* its edge */
	int32_t rank;
	uint16_t unit;
};

struct transfer {   /* the edge from a meeting to a member's end */
	uint64_t class; /* of like collectives */
	int64_t ns;     /* of the meeting: what it takes at least */
	int64_t bytes;  /* of one call; -1: not known */
	uint32_t edge;
	uint32_t meeting;
};

enum { HELD_BY_PROCESS = 255 }; /* by another process that uses the GPU */

struct held { /* an op that something held up: a host function (kind 6), a peer (7), as above */
	int64_t ns;
	uint32_t edge;
	uint16_t unit;
	uint8_t kind;
	bool again; /* the same time stands on another edge of the op, which arrived last */
};

struct end { /* the last op of a stream in a step */
	uint32_t node;
	int32_t step;
	uint16_t unit;
};

struct unit { /* a device, as one process drives it */
	uint32_t process;
	uint32_t host;
	uint32_t key; /* "host/0", in the run's pool */
	int32_t rank;
	bool ended;        /* it has ops in the first and in the last step */
	uint64_t sequence; /* of which kernels follow each other: units with one run the same program */
};

enum { NODE_GAP_MOST_NS = 4096 }; /* a longer one has another reason */

#define MODEL_ROWS(type, name) \
	struct type *name;         \
	size_t n_##name, name##_room

struct model {
	struct graph graph;
	MODEL_ROWS(unit, units);
	MODEL_ROWS(amount, amounts);
	MODEL_ROWS(position, host);    /* edges of threads */
	MODEL_ROWS(position, kernels); /* edges of ops */
	MODEL_ROWS(wait, waits);
	MODEL_ROWS(member, members);
	MODEL_ROWS(part, parts);
	MODEL_ROWS(transfer, transfers);
	MODEL_ROWS(held, helds);
	MODEL_ROWS(end, ends);
	uint32_t *copies; /* edges of ops that copy to or from the device */
	size_t n_copies, copies_room;
	uint32_t *wait_edges;
	size_t n_wait_edges, wait_edges_room;
	uint32_t n_hosts;
	uint32_t n_steps;   /* of the sample, the first one is only its lead-in */
	uint64_t met;       /* members that met others */
	uint64_t before;    /* members that were launched before the sample, or by nobody known */
	uint32_t meetings;  /* of sends and receives */
	bool loaders_known; /* how much they waited for a core: by rows of theirs */
	uint32_t hand_offs, unwoken;
	int64_t unexplained_ns; /* of ops that started later than anything explains, all of them */
	uint32_t *node_gaps;    /* by their length in ns: gaps between nodes of a graph; or NULL */
	uint64_t n_node_gaps;
	uint32_t *unexplained_edges;
	size_t n_unexplained_edges, unexplained_edges_room;
};

/* Room for one more row: MODEL_ADD(model, waits) is the new zeroed row, or NULL without memory. */
#define MODEL_ADD(model, name)                                                        \
	(room_for((void **)&(model)->name, (model)->n_##name, &(model)->name##_room, 256, \
			  sizeof(*(model)->name)) != 0                                            \
		 ? NULL                                                                       \
		 : (memset(&(model)->name[(model)->n_##name], 0, sizeof(*(model)->name)),     \
			&(model)->name[(model)->n_##name++]))

void model_free(struct model *model);
/* Seals the graph and puts every number of an edge or node in its new place. 0 or -ENOMEM. */
int model_seal(struct model *model);

/* steps_ns[step]: when each step of the sample ended, in the mean over devices. 0 or -ENOMEM. */
int model_ends(const struct model *model, const int64_t *at_ns, int64_t *steps_ns);

#endif
