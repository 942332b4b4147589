/* The rows of a summary, and the summary that holds them. */
#ifndef SUMMARY_ROWS_H
#define SUMMARY_ROWS_H

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

/* Rows hold the fields of their records (<baton/summary_format.h>), which begin with what a row is
 * found by; texts are ids in the summary's pool, leaves are enum leaf. */

struct device_summary {
	BATON_S_DEVICE_FIELDS(BATON_S_MEMBER, )
	int32_t *ranks; /* of the processes that drive it, ascending; -1 unknown */
	int64_t *pids;
	uint32_t n_processes;
	struct counts step_ns;             /* window lengths */
	int64_t time_ns[LEAF_COUNT];       /* sums to window_ns */
	uint64_t carried;                  /* LEAF_BIT of every leaf the source can carry */
	struct reading readings[READINGS]; /* what it showed within its window */
};

struct kernel_summary {
	BATON_S_KERNEL_FIELDS(BATON_S_MEMBER, )
	struct counts dur_ns;
};

struct nccl_summary { /* one per (op, communicator, bytes) */
	BATON_S_NCCL_FIELDS(BATON_S_MEMBER, )
};

struct evidence { /* what stood behind a leaf: a range, a call, a kernel, by name */
	BATON_S_EVIDENCE_FIELDS(BATON_S_MEMBER, )
};

/* the steps of a device in which a leaf has 2^octave ns or more, below twice that */
struct spread {
	BATON_S_SPREAD_FIELDS(BATON_S_MEMBER, )
};

struct late_summary { /* who arrived last at split collectives */
	BATON_S_LATE_FIELDS(BATON_S_MEMBER, )
};

enum site_by { SITE_LINE = 1, SITE_STACK, SITE_MODULE, SITE_OP, SITE_RANGE, SITE_BY_END };
enum site_kind {
	SITE_PROJECT = 1, /* in the project's own code */
	SITE_OTHER,       /* elsewhere */
	SITE_UNKNOWN,     /* the trace does not say */
	SITE_REST,        /* rows that were too many to be kept, together */
	SITE_KIND_END
};

struct site_sums {
	BATON_S_SITE_SUMS(BATON_S_MEMBER, )
};

/* In the text of a site: between a project's line and the line of a framework that it called. */
#define SITE_INSIDE " > "

struct site_summary { /* where launches come from, and what they cost: docs/ATTRIBUTION.md 8 */
	BATON_S_SITE_FIELDS(BATON_S_MEMBER, )
	struct site_sums sums;
};

struct quality {
	BATON_S_QUALITY_FIELDS(BATON_S_MEMBER, )
};

struct run_summary {
	int32_t world_size; /* -1 unknown: then the processes seen */
	uint32_t hosts;
	uint32_t step_source; /* string: nvtx marker optimizer periodicity none */
	uint32_t mode;        /* string: cupti events host import */
	uint32_t source;      /* string: kineto nsys cupti */
	int32_t *missing_ranks;
	uint32_t n_missing_ranks;
	int32_t *ranks; /* seen, ascending */
	uint32_t n_ranks;
};

/* The kinds of rows, in the order of the file. What is known of each stands in summary/row_kinds.c.
 */
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
	ROW_KINDS
};

struct summary_rows { /* of one kind, whichever */
	void *at;
	size_t n;
	struct table index;
};

/* The members of struct summary_rows, under a name and with a type. */
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
			SUMMARY_ROWS(struct evidence, stalls); /* the lines behind idle time */
			/* how idle and NCCL time lies on the steps */
			SUMMARY_ROWS(struct spread, spreads);
			/* as `late`, of collectives with members that are not in the run; no device, rank -1:
			 * those, together */
			SUMMARY_ROWS(struct late_summary, partial);
		};
	};
};

/* What sites are ranked by: GPU time and starved time. */
static inline int64_t site_gpu_ns(const struct site_sums *sums)
{
	int64_t sum = 0;
	for (int group = 0; group < SUMMARY_GROUPS; group++)
		sum += sums->gpu_ns[group];
	return sum;
}

static inline int64_t site_weight(const struct site_sums *sums)
{
	return site_gpu_ns(sums) + sums->cpu_ns + sums->host_ns;
}

#endif
