/* The options of a reduction, and its result: one run reduced. */
#ifndef SUMMARY_REDUCTION_H
#define SUMMARY_REDUCTION_H

#include "summary/summary.h"

struct idle_piece {
	const char *device; /* the device's key */
	int64_t from_ns, to_ns;
	int32_t step; /* 0-based, of the work that ends it; negative: of none that counts */
	enum leaf leaf;
	const char *evidence; /* the name of the row that explains it; "" when there is none */
};

struct step_place { /* a counted step of a device */
	const char *device;
	int32_t step;                   /* 0-based */
	int64_t number;                 /* of its marker, else its place where steps before it are left
									 * out; -1: none */
	int64_t begin_ns, end_ns;       /* what is launched in [begin, end) is the step's */
	int64_t window_from, window_to; /* its part of the device's time */
};

struct op;        /* attribute/op_ring.h */
struct feed;      /* attribute/feed.h, and struct coll_args */
struct coll_args; /* arguments of a collective */

struct op_seen {        /* a piece of GPU work; all of it is valid during the call only */
	const char *device; /* the device's key */
	struct feed *feed;  /* the process that launched it */
	const struct op *op;
	/* of NCCL's work; of other work NULL and 0 */
	const char *collective;       /* "AllReduce", as in the report's table */
	const struct coll_args *coll; /* NULL: the source has none */
	uint32_t members;             /* 0: not known */
	const char *unsplit;          /* why waiting and transfer are not separated; NULL: they are */
	int64_t wait_ns;
};

struct step_span {
	int64_t from, to; /* numbers of their markers, else places from 0; both included */
};

/* On the clock of the traces; `since_start`: since the first event of the run instead. */
struct time_span {
	const char *text; /* as it was given, or NULL */
	bool since_start;
	bool adds; /* to the stretches before: places of steps count from its own first one */
	int64_t from_ns, to_ns; /* from <= begin < to */
	int64_t margin_ns;      /* what ended so long before is not read; 0: all is */
};

struct run;       /* read/run.h */
struct replayed;  /* graph/replayed.h */
struct run_study; /* attribute/run_study.h */

struct reduce_options {
	const char *step_range;   /* --step-range: NAME, GLOB or /REGEX/, or NULL */
	bool by_period;           /* --steps period: steps from periodicity, not from markers */
	bool whole_run;           /* --steps none: no steps */
	const char *taxonomy;     /* "seed", or NULL */
	const char *classes_file; /* --classes FILE, or NULL */
	/* A part of the run is attributed (forces reading events): these ranks (base/rank_list.h), this
	 * device or host; NULL: all. Waits are those for all ranks. */
	const char *only_ranks, *only_device;
	bool only_steps;        /* these steps alone count */
	struct step_span steps; /* of only_steps */
	bool only_time;         /* only steps that begin within `time` count */
	struct time_span time;  /* of only_time */
	bool fresh;             /* ignore a stored summary */
	bool store;             /* write summary.baton if the run is one directory */
	bool must_store;        /* failing to write it is an output error */
	bool no_replay;         /* the run is not replayed: no culprits */
	bool part;              /* keep what other parts of the run need; not replayed either */
	bool part_if_missing;   /* the same, if ranks of the run have no file here */
	/* of a part: the merged parts whose collectives are known; NULL: only its own are */
	struct summary *met;
	/* Only what ended in the last so many ns before the newest op, 0: all (forces reading events). */
	int64_t last_ns;
	bool only_read;   /* nothing is salvaged: what killed processes left stays where it is */
	uint32_t threads; /* at most so many; 0: as many as there are cores */
	/* Called with the open run, also where nothing can be reduced; may be NULL. Forces reading
	 * events. */
	void (*opened)(const struct run *run, void *context);
	void *opened_context;
	uint32_t gaps;         /* keep so many of the worst gaps (forces reading events) */
	const char *gaps_leaf; /* only gaps with time in leaves under this prefix; NULL: all */
	/* Called for every piece of idle time in the windows, device by device in order of time; may be
	 * NULL. Forces reading events, on one thread. */
	void (*idle)(const struct idle_piece *piece, void *context);
	void *idle_context;
	/* The same for every counted step, before the other things of its device. */
	void (*step)(const struct step_place *place, void *context);
	void *step_context;
	/* The same for all work of the device, within the counted steps and outside of them. */
	void (*op)(const struct op_seen *seen, void *context);
	void *op_context;
	/* Called with the replay graph of at most replay_steps steps, NULL when the run has too few;
	 * may be NULL. Forces reading events. 0 or -errno. */
	int (*replay)(struct replayed *replayed, void *context);
	void *replay_context;
	uint64_t replay_steps;
	/* Visits the devices instead of the attribution: there is no summary then. NULL: none. */
	const struct run_study *study;
};

struct gap_proof { /* one idle interval and what explains it */
	/* HOST/UUID: a host name has up to 64 characters, an importer's name may have more */
	char device[192];
	int64_t step;        /* 0-based, in the whole run; -1: outside of the steps */
	int64_t step_number; /* the number of its marker; -1: none */
	int64_t a_ns, b_ns;  /* begin and end on the trace's clock */
	int64_t since_ns;    /* a_ns minus the start of the device's first op */
	int64_t leaf_ns[LEAF_COUNT];
	char next_op[200];
	char next_call[96];
	int64_t call_begin_ns, call_end_ns; /* relative to a_ns; 0, 0 when there is no launch record */
	int64_t tid;
	char doing[200]; /* what the owner thread did longest in this gap, and for how long */
	int64_t doing_ns;
	/* owner numbers, valid only during the attribution of the device */
	uint32_t line_owner, launch_owner;
	char line[200]; /* the line of code that explains most of it; "": unknown */
	int64_t line_ns;
	char owed_to[96]; /* the synchronising call that pays for most of it; "": none does */
	int64_t owed_ns;
	int64_t owed_returned_ns; /* when that call returned, relative to a_ns */
	char launch_line[200];    /* the line of the launch that ended the gap */
};

struct reduction {
	struct summary summary;
	struct gap_proof *gaps; /* worst first */
	size_t n_gaps;
	bool stored;       /* summary.baton was written */
	bool no_events;    /* it was made from stored summaries, so no single gap can be shown */
	bool left_out;     /* files were, of which no summary tells */
	bool by_period;    /* the steps of some device come from periodicity */
	bool by_optimizer; /* the steps of some device come from an optimizer's marks */
	bool one_visit;    /* each device was read once: one_visit.h */
	/* of the time of a job that was restarted: that of generations which are not answered */
	int64_t left_out_ns;
	/* Of a stretch of time of a job that runs: steps that begin at this time or later may not be
	 * over. INT64_MAX: all that begin in it are. */
	int64_t open_ns;
};

void reduction_free(struct reduction *reduction);

#endif
