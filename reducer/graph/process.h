/* What one process did in the sample: its calls, ops, silent threads and ranges, joined by
 * correlation. Lives while the process's part of the graph is built. */
#ifndef GRAPH_PROCESS_H
#define GRAPH_PROCESS_H

#include "graph/model.h"
#include "graph/sample.h"

enum call_class {
	CALL_PLAIN,
	CALL_WAITS,
	CALL_FREES,
	CALL_ALLOCS,
	CALL_LOADS,
	CALL_RECORDS_EVENT,
	CALL_WAITS_EVENT,
	CALL_SENDS
};

#define NO_INDEX UINT32_MAX

/* What a part of a bundle that time has divided has in common with that bundle on other devices. */
enum bundle_place {
	PLACE_SAME,  /* all: it is not divided */
	PLACE_BEGIN, /* it begins where they begin */
	PLACE_END,   /* its last call is theirs */
	PLACE_NONE
};

struct host_call {
	int64_t begin, end;
	uint64_t correlation;
	uint32_t thread, name; /* indexes of the trace */
	uint32_t first_op;     /* the earliest op that it launched; NO_INDEX: none */
	uint32_t own_op;       /* the op for whose end it waits; NO_INDEX */
	uint32_t begin_node, end_node;
	uint32_t chain; /* the edge that ends where the call does */
	uint8_t class;  /* enum call_class */
	bool device_wide;
	bool bundles;  /* the launches of a bundle but the last one */
	uint8_t place; /* enum bundle_place */
};

struct op_bundle {   /* of an op that stands for several */
	int64_t work_ns; /* from start to end, as the stream alone would have it */
	int64_t tail_ns; /* from the begin of the last launch to the end, as launches would have it */
	int64_t long_ns; /* what launches but the last took longer than they do themselves */
	uint32_t n;
};

struct device_op {
	int64_t begin, end;
	uint64_t correlation;
	uint32_t call;      /* NO_INDEX: its launch was not recorded */
	uint32_t last_call; /* of a bundle; else NO_INDEX */
	uint32_t name;
	uint32_t stream; /* number of its stream in the process */
	uint32_t begin_node;
	uint32_t edge; /* its duration */
	uint32_t coll; /* NO_INDEX, or the row of its arguments */
	int32_t step;
	uint16_t unit;
	uint8_t kind;
	bool launches; /* the launch edge of its call leads to it */
	bool meets;
	bool pageable;
	bool copies;             /* to or from the device's memory */
	uint8_t place;           /* enum bundle_place */
	struct op_bundle bundle; /* with last_call */
};

struct coll_row {
	uint64_t correlation;
	uint64_t sequence;
	int64_t bytes;
	uint32_t comm; /* index in the trace */
	uint32_t rows;
	uint8_t coll;
	bool has_sequence;
};

struct sent_row { /* a send or receive of a grouped launch */
	uint64_t correlation;
	uint32_t peer, order;
	uint8_t coll;
};

struct sched_row {
	int64_t begin, slept, waited,
		end;             /* it sleeps until `slept`, waits for a core until `waited` */
	int64_t waits;       /* asleep for another thread until then, then in code of its own */
	uint32_t holder;     /* the thread (of the trace) whose lock it waits for asleep; 0: none */
	bool input;          /* asleep in a data loader */
	uint32_t slept_last; /* 1 + the number of its thread's last row with sleep up to it; 0: none */
};

struct holding { /* a thread that may hold Python's lock loses time */
	int64_t begin, end;
	uint32_t thread;
	uint8_t label; /* of who waits for the lock meanwhile */
};

struct range_begin { /* a thread of an import that begins a range is awake */
	int64_t ns;
	uint32_t thread;
};

struct span {
	int64_t begin, end;
	uint32_t thread;
	uint8_t label;
};

struct held_row { /* a host function or a peer held a stream up */
	int64_t begin, end;
	uint32_t stream; /* number of its stream in the process; 0: not known */
	uint8_t kind;
};

struct event_row { /* an event is recorded on a stream, or a stream waits for it */
	int64_t ns;
	uint64_t event;
	uint32_t stream;
	bool waits;
};

struct labelled {
	int64_t begin, end;
	int64_t joint_ns; /* of `input`: its last part, which ends also with cores enough */
	uint8_t label;
};

struct point {
	int64_t ns;
	uint32_t call;
	uint16_t depth; /* calls open after it */
	bool begins;
};

struct host_thread;

struct waking { /* a thread that slept until another one woke it */
	const struct host_thread *waker;
	int64_t waker_point; /* its last one before */
	int64_t ns;          /* when the other is awake */
	uint32_t point;      /* after which that one slept */
	uint32_t node;
	bool silent; /* told from silence alone: nothing is known of the time before */
};

struct host_thread {
	uint32_t index;  /* in the trace */
	uint32_t number; /* by thread id, among those with calls */
	struct host_call *calls;
	uint32_t n_calls;
	struct point *points;
	uint32_t n_points;
	uint32_t first_node;
	uint32_t *chain; /* by point: the edge from it to the next one */
	struct sched_row *scheds;
	uint32_t n_scheds;
	struct labelled *pieces;
	uint32_t n_pieces;
	struct waking *wakings; /* by point */
	uint32_t n_wakings;
	uint16_t unit;
	bool aside; /* launches copies on streams of that kind alone */
};

struct process_stream {
	uint32_t *ops; /* in order of begin */
	uint32_t n_ops;
	uint32_t *launched; /* those with a launch, in its order */
	uint32_t n_launched;
	uint32_t device; /* index in the trace */
	uint16_t unit;
	int64_t number;                        /* the source's */
	const struct calibration *calibration; /* of its device */
	bool aside; /* copies of a thread that launches nothing else: they come and go by themselves */
};

struct process {
	uint32_t index; /* of the run */
	const struct sample *sample;
	const struct run *run;
	bool lost; /* records of it were dropped, of whatever kind */
	const struct host_names *names;
	struct trace trace;
	int64_t *begins; /* of the sample's steps, and the last one's end */
	uint64_t *name_hashes;
	uint8_t *name_classes;
	uint8_t *kernel_classes; /* by name, as struct position has them; 0: not looked at */
	struct host_call *calls; /* by thread and begin */
	size_t n_calls, calls_room;
	struct device_op *ops;
	size_t n_ops, ops_room;
	struct coll_row *colls;
	size_t n_colls, colls_room;
	struct sent_row *sents; /* by correlation, in the order of the file */
	size_t n_sents, sents_room;
	struct span *spans; /* input, profiler, module load, full queue */
	size_t n_spans, spans_room;
	struct range_begin *begun; /* by thread and time; only where there are no sched rows */
	size_t n_begun, begun_room;
	struct held_row *helds;
	size_t n_helds, helds_room;
	struct event_row *events; /* by event and time */
	size_t n_events, events_room;
	struct sched_row *scheds;
	uint32_t *sched_threads;
	size_t n_scheds, scheds_room, sched_threads_room;
	struct holding *holdings; /* by thread and time */
	size_t n_holdings;
	struct holding *profilings; /* the profiler's work on threads with calls: apart, by time */
	size_t n_profilings;
	struct host_thread *threads;
	uint32_t n_threads;
	struct process_stream *streams;
	uint32_t n_streams;
	uint16_t *unit_of_device; /* by device of the trace */
	uint32_t begin_node;      /* where the sample begins; NO_INDEX: not made */
	double starving;     /* the part of their time for which loaders have no core; 0: not known */
	bool children_known; /* by rows of their own */
};

/* Reads the sample of process `index`. 0; 1: it has no ops there; or -errno. */
int process_open(struct process *process, struct model *model, const struct sample *sample,
				 uint32_t index);
void process_close(struct process *process);

/* Fills calls, ops, colls, spans, helds and scheds from the rows that lie in the sample. 0 or
 * -errno. */
int process_read(struct process *process);

/* Sorts the ops into their streams, anew when they have changed. 0 or -ENOMEM. */
int process_fill_streams(struct process *process);

/* What launches of the op's device take, and whether another process uses it. */
static inline const struct calibration *process_calibration(const struct process *process,
															const struct device_op *op)
{
	return process->streams[op->stream].calibration;
}
/* What the device takes from one op to the next. Where hardly any op is queued, the median of their gaps
 * may be of ops that wait for something else. */
static inline int64_t process_queued_gap(const struct process *process, const struct device_op *op)
{
	const int64_t ns = process_calibration(process, op)->queued_gap_ns;
	return ns < DISPATCH_LIMIT_NS ? ns : DISPATCH_LIMIT_NS;
}
uint64_t process_name_hash(struct process *process, uint32_t name);
/* The step of the sample in which a launch at `ns` lies; -1: before, n_steps: after. */
int32_t process_step(const struct process *process, int64_t ns);
/* How many of its launched ops a stream was given before `ns`. */
uint32_t process_given_before(const struct process *process, const struct process_stream *stream,
							  int64_t ns);

#endif
