/* What the pipe is asked for and what it gives: one run reduced. */
#ifndef SUMMARY_REDUCTION_H
#define SUMMARY_REDUCTION_H

#include "summary/summary.h"

struct idle_piece {
	const char *device; /* its key */
	int64_t from_ns, to_ns;
	enum leaf leaf;
	const char *evidence; /* the name of the row behind it, "" when there is none */
};

struct reduce_options {
	const char *step_range;   /* --step-range NAME, or NULL */
	bool by_period;           /* --steps period: not by markers */
	const char *taxonomy;     /* NULL or "seed" */
	const char *classes_file; /* --classes FILE or NULL */
	bool fresh;               /* ignore a stored summary */
	bool store;               /* write summary.baton when there is one directory */
	bool must_store;          /* not being able to write it is an output error */
	uint32_t gaps;            /* keep the N worst gaps (forces reading events) */
	const char *gaps_leaf;    /* only gaps with time in leaves of this prefix, or NULL */
	/* Told every piece of idle time in the windows, device by device in order of time; NULL:
	 * nobody. Forces reading events, on one thread. */
	void (*idle)(const struct idle_piece *piece, void *context);
	void *idle_context;
};

struct gap_proof {       /* one idle interval and what stood behind it */
	char device[192];    /* HOST/UUID: a host name may have 64, a name of importers more */
	int64_t step;        /* 0-based; -1 outside */
	int64_t step_number; /* of its marker; -1 none */
	int64_t a_ns, b_ns;  /* on the trace's clock */
	int64_t since_ns;    /* a_ns minus the device's first op start */
	int64_t leaf_ns[LEAF_COUNT];
	char next_op[200];
	char next_call[96];
	int64_t call_begin_ns, call_end_ns; /* relative to a_ns; 0, 0 when there is no launch record */
	int64_t tid;
	char doing[200]; /* what the owner thread was in longest in this gap, and for how long */
	int64_t doing_ns;
	uint32_t line_owner, launch_owner; /* while the device is being attributed */
	char line[200];                    /* where the code stood longest, "" not known */
	int64_t line_ns;
	char owed_to[96]; /* the synchronising call that most is owed to, "": nothing is */
	int64_t owed_ns;
	int64_t owed_returned_ns; /* when it returned, relative to a_ns */
	char launch_line[200];    /* of the launch that ended the gap */
};

struct reduction {
	struct summary summary;
	struct gap_proof *gaps; /* worst first */
	size_t n_gaps;
	bool stored;       /* summary.baton was written */
	bool by_period;    /* some device's steps come from periodicity */
	bool by_optimizer; /* from an optimizer's marks */
};

#endif
