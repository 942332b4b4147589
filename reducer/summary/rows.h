/* The rows of a summary, and the summary that holds them. */
#ifndef SUMMARY_ROWS_H
#define SUMMARY_ROWS_H

#include "base/saturate.h"
#include "base/strings.h"
#include "base/table.h"
#include "summary/counts.h"
#include "summary/leaf.h"
#include "summary/reading.h"

#include <baton/summary_format.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SUMMARY_GROUPS = BATON_S_GROUPS
}; /* enum group of classify/classify.h: matmul, memory, custom, nccl, other */

/* Rows have the fields of their records (<baton/summary_format.h>), the key first. Texts are ids in
 * the summary's pool, leaves are enum leaf. */

struct device_summary {
	BATON_S_DEVICE_FIELDS(BATON_S_MEMBER, )
	int32_t *ranks; /* the ranks of the processes that drive it, ascending; -1: unknown */
	int64_t *pids;
	uint32_t n_processes;
	struct counts step_ns;             /* window lengths */
	int64_t time_ns[LEAF_COUNT];       /* sums to window_ns */
	uint64_t carried;                  /* LEAF_BIT of every leaf the source can carry */
	struct reading readings[READINGS]; /* GPU readings within its window */
};

struct kernel_summary {
	BATON_S_KERNEL_FIELDS(BATON_S_MEMBER, )
	struct counts dur_ns;
};

struct nccl_summary { /* one per (op, communicator, bytes) */
	BATON_S_NCCL_FIELDS(BATON_S_MEMBER, )
};

struct evidence { /* what explains a leaf: a range, a call or a kernel, by name */
	BATON_S_EVIDENCE_FIELDS(BATON_S_MEMBER, )
};

/* the steps of a device in which a leaf has from 2^octave to 2^(octave + 1) - 1 ns */
struct spread {
	BATON_S_SPREAD_FIELDS(BATON_S_MEMBER, )
};

struct late_summary { /* who arrived last at split collectives */
	BATON_S_LATE_FIELDS(BATON_S_MEMBER, )
};

struct copy_summary { /* copies to and from a device's memory, of one direction */
	BATON_S_COPY_FIELDS(BATON_S_MEMBER, )
};

struct pair_summary { /* copies from one device to another */
	BATON_S_PAIR_FIELDS(BATON_S_MEMBER, )
};

struct series { /* a number for each step, or for `width` steps together: summary/series.h */
	BATON_S_SERIES_FIELDS(BATON_S_MEMBER, )
	int64_t *ns;
};

enum steps_found { FOUND_ALONE, FOUND_TOGETHER, FOUND_GRAPHS };
/* What is launched after the last step: less than a tenth of the ops, other kernels, the steps' own
 * without some of them, or whole steps. */
enum steps_tail { TAIL_SHORT, TAIL_OTHER, TAIL_PART, TAIL_STEPS };

/* How steps are found. */
enum steps_way { WAY_NONE, WAY_MARKER, WAY_OPTIMIZER, WAY_PERIOD };

struct steps_summary { /* how sure the steps of a device are, and what lies outside of them */
	BATON_S_STEPS_FIELDS(BATON_S_MEMBER, )
};

struct culprit_summary { /* whose cure would win most, by the replay (docs/GRAPH.md) */
	BATON_S_CULPRIT_FIELDS(BATON_S_MEMBER, )
};

struct process_summary { /* of a part: a process that was recorded */
	BATON_S_PROCESS_FIELDS(BATON_S_MEMBER, )
};

struct scan_summary { /* of a part: a device, as its scan found it */
	BATON_S_SCAN_FIELDS(BATON_S_MEMBER, )
};

struct comm_summary { /* of a part: a communicator */
	BATON_S_COMM_FIELDS(BATON_S_MEMBER, )
};

struct meeting { /* of a part: a collective, as far as its members are known */
	BATON_S_MEETING_FIELDS(BATON_S_MEMBER, )
};

enum site_by {
	SITE_LINE = 1,
	SITE_STACK,
	SITE_MODULE,
	SITE_OP,
	SITE_RANGE,
	SITE_SHAPE,
	SITE_BY_END
};
enum site_kind {
	SITE_PROJECT = 1, /* in the project's own code */
	SITE_OTHER,       /* elsewhere */
	SITE_UNKNOWN,     /* the trace does not say */
	SITE_REST,        /* the sum of the rows that were too many to keep */
	SITE_KIND_END
};

struct site_sums {
	BATON_S_SITE_SUMS(BATON_S_MEMBER, )
};

/* In the text of a site, it separates a project's line from the line of the framework that it
 * called. */
#define SITE_INSIDE " > "

struct site_summary { /* where launches come from, and what they cost: docs/ATTRIBUTION.md 8 */
	BATON_S_SITE_FIELDS(BATON_S_MEMBER, )
	struct site_sums sums;
};

struct quality {
	BATON_S_QUALITY_FIELDS(BATON_S_MEMBER, )
};

struct run_summary {
	int32_t world_size; /* -1: unknown, then the number of processes seen counts */
	uint32_t hosts;
	uint32_t step_source; /* text: nvtx, marker, optimizer, periodicity or none */
	uint32_t mode;        /* text: cupti, events, host or import */
	uint32_t source;      /* text: kineto, nsys or cupti */
	uint32_t run_id;      /* text: that of the traces */
	int32_t *missing_ranks;
	uint32_t n_missing_ranks;
	int32_t *ranks; /* the ranks seen, ascending */
	uint32_t n_ranks;
};

/* The kinds of rows, in the order of the file. summary/row_kinds.c has the rules of each. */
enum row_kind {
	ROW_DEVICE,
	ROW_KERNEL,
	ROW_NCCL,
	ROW_EVIDENCE,
	ROW_LATE,
	ROW_SITE,
	ROW_STALL,
	ROW_SPREAD,
	ROW_PARTIAL,
	ROW_COPY,
	ROW_SERIES,
	ROW_STEPS,
	ROW_CULPRIT,
	ROW_PROCESS,
	ROW_SCAN,
	ROW_COMM,
	ROW_MEETING,
	ROW_PAIR,
	ROW_KINDS
};

struct summary_rows { /* the rows of any one kind */
	void *at;
	size_t n;
	struct table index;
};

/* The members of struct summary_rows again, with a name and a type. */
#define SUMMARY_ROWS(type, name) \
	type *name;                  \
	size_t n_##name;             \
	struct table index_##name

struct summary {
	struct strings pool;
	struct run_summary run;
	struct quality quality;
	union {
		struct summary_rows rows[ROW_KINDS];
		struct {
			SUMMARY_ROWS(struct device_summary, devices);
			SUMMARY_ROWS(struct kernel_summary, kernels);
			SUMMARY_ROWS(struct nccl_summary, nccl);
			SUMMARY_ROWS(struct evidence, evidence);
			SUMMARY_ROWS(struct late_summary, late);
			SUMMARY_ROWS(struct site_summary, sites);
			SUMMARY_ROWS(struct evidence, stalls); /* the lines of code that explain idle time */
			/* how idle and NCCL time is distributed over the steps */
			SUMMARY_ROWS(struct spread, spreads);
			/* like `late`, for collectives with members that are not in the run. The row without a
			 * device and with rank -1 sums up those members */
			SUMMARY_ROWS(struct late_summary, partial);
			SUMMARY_ROWS(struct copy_summary, copies);
			SUMMARY_ROWS(struct series, series);
			SUMMARY_ROWS(struct steps_summary, steps); /* by device: what its steps are worth */
			/* the first one is of the replay itself; none: the run was not replayed */
			SUMMARY_ROWS(struct culprit_summary, culprits);
			/* only parts have these four */
			SUMMARY_ROWS(struct process_summary, processes);
			SUMMARY_ROWS(struct scan_summary, scans);
			SUMMARY_ROWS(struct comm_summary, comms);
			SUMMARY_ROWS(struct meeting, meetings);
			SUMMARY_ROWS(struct pair_summary, pairs);
		};
	};
};

/* The sum of a site's GPU time over all groups, in ns. site_weight() adds the starved time; sites
 * are ranked by it. */
static inline int64_t site_gpu_ns(const struct site_sums *sums)
{
	int64_t sum = 0;
	for (int group = 0; group < SUMMARY_GROUPS; group++)
		sum = saturate_add(sum, sums->gpu_ns[group]);
	return sum;
}

static inline int64_t site_weight(const struct site_sums *sums)
{
	return saturate_add(saturate_add(site_gpu_ns(sums), sums->cpu_ns), sums->host_ns);
}

#endif
