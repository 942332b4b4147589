/* A reduced run: what every view reads. Built by attribute/, merged here, stored by summary_io.
 * Merging is associative and commutative: summary_merge + summary_sort gives the same rows whatever
 * the order of devices, hosts and threads. All strings belong to the summary's pool. Times in ns.
 */
#ifndef SUMMARY_SUMMARY_H
#define SUMMARY_SUMMARY_H

#include "base/strings.h"
#include "base/table.h"
#include "summary/counts.h"
#include "summary/leaf.h"
#include "summary/reading.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SUMMARY_GROUPS = 5
}; /* enum group of classify/classify.h: matmul, memory, custom, nccl, other */

struct device_summary {
	uint32_t key;   /* string: "host/0" or "host/UUID" */
	uint32_t name;  /* string: "NVIDIA H100 80GB HBM3", 0 unknown */
	int32_t *ranks; /* of the processes that drive it, ascending; -1 unknown */
	int64_t *pids;
	uint32_t n_processes;
	int64_t steps;
	int64_t window_ns;
	int64_t hull_ns;
	int64_t hull_idle_ns;
	int64_t lead_in_ns;
	int64_t nccl_hidden_ns;
	int64_t floor_ns;            /* launch-to-start floor l */
	int64_t queued_gap_ns;       /* median queued gap q */
	struct counts step_ns;       /* window lengths */
	int64_t time_ns[LEAF_COUNT]; /* sums to window_ns */
	uint64_t carried;            /* LEAF_BIT of every leaf the source can carry */
	int64_t busy_ns[SUMMARY_GROUPS];
	int64_t kernels;
	int64_t launches;
	int64_t short_kernels;             /* kernels shorter than 5 us */
	struct reading readings[READINGS]; /* what it showed within its window */
};

struct kernel_summary {
	uint32_t name;       /* string */
	uint32_t class_name; /* string: "custom.attention" */
	uint8_t group;       /* enum group */
	int8_t tensor_core;  /* 1, 0, -1 unknown */
	uint64_t count;
	int64_t total_ns;
	struct counts dur_ns;
};

struct nccl_summary { /* one per (op, communicator, bytes) */
	uint32_t op;      /* string: "AllReduce"; "unknown" */
	uint32_t comm;    /* string: its name in the source, 0 unknown */
	uint32_t reason;  /* string: why it is unsplit, 0 when split */
	uint32_t members; /* size of the communicator, 0 unknown */
	int64_t bytes;    /* send buffer, -1 unknown */
	uint64_t count;   /* kernels */
	int64_t transfer_ns;
	int64_t wait_ns;
	int64_t unsplit_ns;
	int64_t max_bytes_moved; /* in + out, whichever is larger: what algorithm bandwidth divides by;
								-1 unknown */
};

struct evidence {    /* what stood behind a leaf: a range, a call, a kernel, by name */
	uint32_t device; /* string: device key */
	uint32_t what;   /* string */
	uint8_t leaf;
	uint8_t before; /* of a line: 1: of the launch that ended the idle time; 0: of what went on */
	uint64_t count; /* gaps */
	int64_t ns;
};

struct spread { /* the steps of a device in which a leaf has 2^octave ns or more, below twice that
				 */
	uint32_t device; /* string: device key */
	uint8_t leaf;
	uint8_t octave;
	uint64_t steps;
	int64_t ns; /* in all of them */
	int64_t worst_ns;
	int64_t worst_step; /* the first of that length: its number, or its place among the counted */
};

struct late_summary { /* who arrived last at split collectives */
	uint32_t device;  /* string: device key */
	int32_t rank;
	uint64_t last;     /* collectives in which it was the last of all members */
	uint64_t taken;    /* split collectives it took part in */
	int64_t caused_ns; /* wait of the other members in those */
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
	int64_t gpu_ns[SUMMARY_GROUPS]; /* plain durations of ops of counted steps */
	uint64_t launches;              /* their calls */
	int64_t launch_ns;              /* in those */
	int64_t cpu_ns, host_ns;        /* idle.cpu and idle.host before ops of theirs */
};

/* In the text of a site: between a project's line and the line of a framework that it called. */
#define SITE_INSIDE " > "

struct site_summary { /* where launches come from, and what they cost: docs/ATTRIBUTION.md 8 */
	uint32_t what;    /* string */
	uint8_t by;       /* enum site_by */
	uint8_t kind;     /* enum site_kind */
	uint8_t backward; /* 1: launched in a backward pass */
	uint64_t rows;    /* that SITE_REST stands for, added over devices; else 0 */
	struct site_sums sums;
};

struct quality {
	uint64_t records; /* rows read, all tables */
	uint64_t dropped;
	uint64_t in_flight;
	uint64_t ops;
	uint64_t unmatched_ops;      /* without launch record */
	uint64_t invalid_timestamps; /* gaps that end before their launch began */
	uint64_t invalid_events;     /* refused by the importer */
	uint64_t truncated_files;    /* files with any damage */
	uint64_t unreadable_files;
	int64_t clock_residual_ns; /* -1: nothing to align or not computed */
	uint64_t unrecorded_ns;
	uint64_t hand_offs;
	uint64_t steps_cut;
	int64_t tool_ns; /* the tool's own cost in all; -1 not recorded */
	uint64_t launches;
	uint64_t rounded_quantiles; /* tables that went beyond COUNTS_EXACT */
	uint64_t unsampled_ns;      /* of idle.host.code: while nobody looked at the thread */
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

struct summary { /* rows begin with what they are found by */
	struct strings pool;
	struct run_summary run;
	struct quality quality;
	struct device_summary *devices;
	size_t n_devices;
	struct kernel_summary *kernels;
	size_t n_kernels;
	struct nccl_summary *nccl;
	size_t n_nccl;
	struct evidence *evidence;
	size_t n_evidence;
	struct late_summary *late;
	size_t n_late;
	struct late_summary *partial; /* the same of collectives with members that are not in the run;
								   * no device, rank -1: those, together */
	size_t n_partial;
	struct site_summary *sites;
	size_t n_sites;
	struct evidence *stalls; /* the lines behind idle time */
	size_t n_stalls;
	struct spread *spreads; /* how idle and NCCL time lies on the steps */
	size_t n_spreads;
	struct table index_devices, index_kernels, index_nccl, index_evidence, index_late,
		index_partial, index_sites, index_stalls, index_spreads;
};

int summary_init(struct summary *summary); /* 0 or -ENOMEM */
void summary_free(struct summary *summary);

static inline const char *summary_text(const struct summary *summary, uint32_t id)
{
	return strings_get(&summary->pool, id).at;
}

/* The id of a text in the summary's pool, 0 for "". 0 or -ENOMEM. */
int summary_string(struct summary *summary, const char *text, uint32_t *id);

/* Rows for one key, made zeroed when new; NULL when memory is out. */
struct device_summary *summary_device(struct summary *, const char *key);
struct kernel_summary *summary_kernel(struct summary *, const char *name, const char *class_name);
struct nccl_summary *summary_nccl(
	struct summary *,
	const struct nccl_summary *key); /* op comm reason members bytes, in this pool */
int summary_evidence(struct summary *, const char *device, enum leaf leaf, const char *what,
					 uint64_t count, int64_t ns);
struct late_summary *summary_late(struct summary *, const char *device, int32_t rank);
struct late_summary *summary_partial(struct summary *, const char *device, int32_t rank);

/* The row with this key: by, kind, backward, what (in this pool). */
struct site_summary *summary_site(struct summary *, const struct site_summary *key);
/* `add`: leaf, before, count, ns. */
int summary_stall(struct summary *, const char *device, const char *line,
				  const struct evidence *add);
/* Adds `add` to the row with its leaf and octave. */
int summary_spread(struct summary *, const char *device, const struct spread *add);
/* Do the leaves of a device sum to its window, as they must? */
bool summary_device_adds_up(const struct device_summary *device);
/* What rows are ranked by: GPU time and starved time. */
int64_t site_gpu_ns(const struct site_sums *sums);
int64_t site_weight(const struct site_sums *sums);
void site_sums_add(struct site_sums *into, const struct site_sums *from);

/* Adds `from` to `into`. 0 or -ENOMEM. */
int summary_merge(struct summary *into, const struct summary *from);
/* The canonical order: devices by (lowest rank, key), kernels by total then name, nccl by time,
 * evidence by time. */
void summary_sort(struct summary *summary);

#endif
