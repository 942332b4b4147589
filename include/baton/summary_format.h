/* The records of summary files (docs/FORMAT.md section 6, which is the definition) and the rows of
 * a summary in memory. Each kind of record has a list with one line for each of its fields, in the
 * order of the file. Three things are made from such a list:
 *   - the record in the file (here);
 *   - the row in memory (reducer/summary/rows.h), with the layout of the record but no head;
 *   - the table by which fields are checked, stored, loaded, merged, sorted and printed
 *     (reducer/summary/row_kinds.c).
 *
 * X(R, type, name, values): R is the record. `values` are those that a file may hold:
 *   NUMBER        0 to BATON_TIME_LIMIT_NS
 *   TOTALLED      a NUMBER, and so is the sum of all such fields of the kind (TOTAL_ in
 *                 row_kinds.h)
 *   KNOWN         a NUMBER, or -1: unknown
 *   RANGE(a, b)   a to b
 *   ANY           whatever fits
 *   TEXT          a string: its id in the file, in memory its id in the summary's pool
 *   LEAF          the name of a leaf: a string's id in the file, in memory its enum leaf
 *   ZERO          nothing: it is not read
 *
 * X(R, type, name, values, merge, json): the fields of rows. `merge` is the value that two rows
 * with the same key have together:
 *   KEY           the value is part of the key
 *   SUM           the sum
 *   MOST, LEAST   the larger one, the smaller one
 *   KNOWN_SUM     the sum of those that are known
 *   FIRST_TEXT    the first one in order of bytes; "" comes last
 *   RECOUNTED     zero: it is counted again when all rows are merged (summary_sort)
 *   OWN           a function of the kind of row decides (row_kinds.c)
 * `json` is what `report --json` prints:
 *   HIDDEN        nothing, or not the field as it is
 *   SHOWN(n)      the field, in the n-th part of its object, in the order of the file
 *   NAMED(n, s)   the same, under the name s
 */
#ifndef BATON_SUMMARY_FORMAT_H
#define BATON_SUMMARY_FORMAT_H

#include <baton/format.h>

enum baton_summary_type {
	BATON_S_REDUCTION = 64,
	BATON_S_INPUT = 65,
	BATON_S_RANK = 66,
	BATON_S_QUALITY = 67,
	BATON_S_DEVICE = 68,
	BATON_S_DRIVER = 69,
	BATON_S_LEAF = 70,
	BATON_S_KERNEL = 71,
	BATON_S_DISTRIBUTION = 72,
	BATON_S_NCCL = 73,
	BATON_S_EVIDENCE = 74,
	BATON_S_LATE = 75,
	BATON_S_SITE = 76,
	BATON_S_STALL = 77, /* struct baton_s_evidence */
	BATON_S_SPREAD = 78,
	BATON_S_READING = 79,
	BATON_S_PARTIAL = 80, /* struct baton_s_late */
	BATON_S_COPY = 81,
	BATON_S_SERIES = 82,
	BATON_S_CELLS = 83,
	BATON_S_STEPS = 84,
	BATON_S_CULPRIT = 85,
	BATON_S_PROCESS = 86,
	BATON_S_SCAN = 87,
	BATON_S_COMM = 88,
	BATON_S_MEETING = 89,
	BATON_S_PAIR = 90,
	BATON_S_END = 91
};

#define BATON_S_GROUPS 5 /* matmul, memory, custom, nccl, other */
#define BATON_S_BY_GROUP __typeof__(int64_t[BATON_S_GROUPS])
#define BATON_S_STEPS_MOST (1 << 30)

/* Makes members of a structure from a list. */
#define BATON_S_MEMBER(R, type, name, ...) type name;

#define BATON_S_REDUCTION_FIELDS(X, R)              \
	X(R, uint32_t, reducer_version, ANY)            \
	X(R, int32_t, world_size, RANGE(-1, INT32_MAX)) \
	X(R, uint64_t, options_hash, ANY)               \
	X(R, uint32_t, hosts, ANY)                      \
	X(R, uint32_t, step_source, TEXT)               \
	X(R, uint32_t, mode, TEXT)                      \
	X(R, uint32_t, source, TEXT)                    \
	X(R, uint32_t, run_id, TEXT)                    \
	X(R, uint32_t, zero, ZERO)

struct baton_s_reduction {
	struct baton_record head;
	BATON_S_REDUCTION_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_reduction) == 48, "reduction");
_Static_assert(offsetof(struct baton_s_reduction, options_hash) == 16, "reduction options");

#define BATON_S_INPUT_FIELDS(X, R) \
	X(R, uint32_t, name, TEXT)     \
	X(R, uint32_t, zero, ZERO)     \
	X(R, uint64_t, bytes, ANY)     \
	X(R, int64_t, mtime_ns, ANY)

struct baton_s_input {
	struct baton_record head;
	BATON_S_INPUT_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_input) == 32, "input");
_Static_assert(offsetof(struct baton_s_input, bytes) == 16, "input size");

enum baton_rank_state { BATON_RANK_SEEN = 1, BATON_RANK_MISSING = 2 };

#define BATON_S_RANK_FIELDS(X, R)            \
	X(R, int32_t, rank, RANGE(0, INT32_MAX)) \
	X(R, uint32_t, state, RANGE(1, 2)) /* enum baton_rank_state */

struct baton_s_rank {
	struct baton_record head;
	BATON_S_RANK_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_rank) == 16, "rank");

#define BATON_S_QUALITY_FIELDS(X, R)                                                               \
	X(R, uint64_t, records, NUMBER, SUM, SHOWN(1)) /* rows read, in all tables */                  \
	X(R, uint64_t, dropped, NUMBER, SUM, SHOWN(1))                                                 \
	X(R, uint64_t, in_flight, NUMBER, SUM, SHOWN(1))                                               \
	X(R, uint64_t, ops, NUMBER, SUM, SHOWN(1))                                                     \
	X(R, uint64_t, unmatched_ops, NUMBER, SUM, SHOWN(1)) /* ops without a launch record */         \
	/* gaps that end before their launch begins */                                                 \
	X(R, uint64_t, invalid_timestamps, NUMBER, SUM, SHOWN(1))                                      \
	X(R, uint64_t, invalid_events, NUMBER, SUM, SHOWN(1))  /* events refused by the importer */    \
	X(R, uint64_t, truncated_files, NUMBER, SUM, SHOWN(1)) /* files with any damage */             \
	X(R, uint64_t, unreadable_files, NUMBER, SUM, SHOWN(1))                                        \
	/* -1: there was nothing to align, or it was not computed */                                   \
	X(R, int64_t, clock_residual_ns, KNOWN, MOST, SHOWN(1))                                        \
	X(R, uint64_t, unrecorded_ns, NUMBER, SUM, SHOWN(2))                                           \
	X(R, uint64_t, hand_offs, NUMBER, SUM, SHOWN(3))                                               \
	X(R, uint64_t, steps_cut, NUMBER, SUM, SHOWN(4))                                               \
	/* all of the tool's own cost; -1: not recorded */                                             \
	X(R, int64_t, tool_ns, KNOWN, KNOWN_SUM, HIDDEN)                                               \
	X(R, uint64_t, launches, NUMBER, SUM, HIDDEN)                                                  \
	/* tables of counts with more than COUNTS_EXACT values */                                      \
	X(R, uint64_t, rounded_quantiles, NUMBER, RECOUNTED, SHOWN(4))                                 \
	/* the part of idle.host.code that the sampler missed */                                       \
	X(R, uint64_t, unsampled_ns, NUMBER, SUM, SHOWN(2))                                            \
	/* processes whose GPU times an import moved, and the most of it */                            \
	X(R, uint64_t, gpu_clocks_moved, NUMBER, SUM, SHOWN(5))                                        \
	X(R, int64_t, gpu_clock_shift_ns, NUMBER, MOST, SHOWN(5))                                      \
	/* by how much work still starts before its launch; 0: nowhere */                              \
	X(R, int64_t, gpu_clock_early_ns, NUMBER, MOST, SHOWN(5))                                      \
	/* of recordings of the last part of a job: the part that is here and the one before it */     \
	X(R, int64_t, kept_ns, NUMBER, MOST, SHOWN(6))                                                 \
	X(R, int64_t, before_ns, NUMBER, MOST, SHOWN(6))                                               \
	X(R, uint64_t, before_launches, NUMBER, SUM, SHOWN(6))                                         \
	X(R, uint64_t, before_kernels, NUMBER, SUM, SHOWN(6))                                          \
	/* of hosts' clocks within the run: jumps, and hosts that could not be aligned */              \
	X(R, int64_t, clock_jumps, NUMBER, MOST, SHOWN(1))                                             \
	X(R, int64_t, clocks_apart, NUMBER, MOST, SHOWN(1))                                            \
	/* of stretches of time that were added up: how many, from when to when on the clock of the  \
	 * traces, and how much of that is in none of them; 0: the run was reduced as a whole */ \
	X(R, uint64_t, stretches, NUMBER, SUM, SHOWN(7))                                               \
	X(R, int64_t, stretches_from_ns, NUMBER, OWN, SHOWN(7))                                        \
	X(R, int64_t, stretches_to_ns, NUMBER, OWN, SHOWN(7))                                          \
	X(R, int64_t, stretches_missing_ns, NUMBER, SUM, SHOWN(7))                                     \
	/* 1: a process has more than a replay takes, so gains are not known */                        \
	X(R, uint32_t, replays_refused, NUMBER, SUM, HIDDEN)                                           \
	/* 1: a limit left the recorder of a process so little that it took less than asked */         \
	X(R, uint32_t, recorder_limited, NUMBER, MOST, SHOWN(7))

struct baton_s_quality {
	struct baton_record head;
	BATON_S_QUALITY_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_quality) == 256, "quality");
_Static_assert(offsetof(struct baton_s_quality, clock_residual_ns) == 80, "quality clock");
_Static_assert(offsetof(struct baton_s_quality, tool_ns) == 112, "quality tool");

#define BATON_S_DEVICE_FIELDS(X, R)                                                           \
	X(R, uint32_t, key, TEXT, KEY, HIDDEN)         /* "host/0" or "host/UUID" */              \
	X(R, uint32_t, name, TEXT, FIRST_TEXT, HIDDEN) /* "NVIDIA H100 80GB HBM3"; "": unknown */ \
	X(R, int64_t, steps, RANGE(0, BATON_S_STEPS_MOST), SUM, SHOWN(1))                         \
	X(R, int64_t, window_ns, NUMBER, SUM, SHOWN(1))                                           \
	X(R, int64_t, hull_ns, NUMBER, SUM, SHOWN(1))                                             \
	X(R, int64_t, hull_idle_ns, NUMBER, SUM, SHOWN(1))                                        \
	X(R, int64_t, lead_in_ns, NUMBER, SUM, SHOWN(1))                                          \
	X(R, int64_t, nccl_hidden_ns, NUMBER, SUM, SHOWN(1))                                      \
	/* the floor l from launch to start */                                                    \
	X(R, int64_t, floor_ns, NUMBER, MOST, NAMED(1, "launch_floor_ns"))                        \
	X(R, int64_t, queued_gap_ns, NUMBER, MOST, SHOWN(1)) /* the median queued gap q */        \
	X(R, int64_t, kernels, NUMBER, SUM, SHOWN(2))                                             \
	X(R, int64_t, launches, NUMBER, SUM, SHOWN(2))                                            \
	X(R, int64_t, short_kernels, NUMBER, SUM, HIDDEN) /* kernels shorter than 5 us */         \
	X(R, BATON_S_BY_GROUP, busy_ns, NUMBER, SUM, HIDDEN)

struct baton_s_device {
	struct baton_record head;
	BATON_S_DEVICE_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_device) == 144, "device");
_Static_assert(offsetof(struct baton_s_device, kernels) == 80, "device kernels");
_Static_assert(offsetof(struct baton_s_device, busy_ns) == 104, "device busy");

#define BATON_S_DRIVER_FIELDS(X, R)           \
	X(R, int32_t, rank, RANGE(-1, INT32_MAX)) \
	X(R, uint32_t, zero, ZERO)                \
	X(R, int64_t, pid, ANY)

struct baton_s_driver {
	struct baton_record head;
	BATON_S_DRIVER_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_driver) == 24, "driver");

#define BATON_S_LEAF_FIELDS(X, R)        \
	X(R, uint32_t, leaf, LEAF)           \
	X(R, uint32_t, carried, RANGE(0, 1)) \
	X(R, int64_t, ns, NUMBER)

struct baton_s_leaf {
	struct baton_record head;
	BATON_S_LEAF_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_leaf) == 24, "leaf");

#define BATON_S_KERNEL_FIELDS(X, R)                                                             \
	X(R, uint32_t, name, TEXT, KEY, HIDDEN)                                                     \
	X(R, uint32_t, class_name, TEXT, KEY, HIDDEN)                      /* "custom.attention" */ \
	X(R, uint32_t, group, RANGE(0, BATON_S_GROUPS - 1), LEAST, HIDDEN) /* enum group */         \
	X(R, int32_t, tensor_core, RANGE(-1, 1), MOST, HIDDEN)             /* -1: unknown */        \
	X(R, uint64_t, count, NUMBER, SUM, SHOWN(1))                                                \
	X(R, int64_t, total_ns, NUMBER, SUM, SHOWN(1))

struct baton_s_kernel {
	struct baton_record head;
	BATON_S_KERNEL_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_kernel) == 40, "kernel");
_Static_assert(offsetof(struct baton_s_kernel, count) == 24, "kernel count");

#define BATON_S_DISTRIBUTION_FIELDS(X, R)                             \
	X(R, uint32_t, pairs, ANY)                                        \
	X(R, uint32_t, bytes, ANY) /* bytes of the varints that follow */ \
	X(R, uint32_t, rounded, RANGE(0, 1))                              \
	X(R, uint32_t, zero, ZERO)

struct baton_s_distribution {
	struct baton_record head;
	BATON_S_DISTRIBUTION_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_distribution) == 24, "distribution");

#define BATON_S_NCCL_FIELDS(X, R)                                                       \
	X(R, uint32_t, op, TEXT, KEY, SHOWN(1))   /* "AllReduce", or "unknown" */           \
	X(R, uint32_t, comm, TEXT, KEY, SHOWN(1)) /* its name in the source; "": unknown */ \
	X(R, uint32_t, reason, TEXT, KEY, HIDDEN) /* why it is unsplit; "": it is split */  \
	/* size of the communicator; 0: unknown */                                          \
	X(R, uint32_t, members, ANY, KEY, NAMED(1, "ranks"))                                \
	X(R, int64_t, bytes, KNOWN, KEY, SHOWN(1))   /* bytes of the send buffer */         \
	X(R, uint64_t, count, NUMBER, SUM, SHOWN(1)) /* kernels */                          \
	X(R, int64_t, transfer_ns, NUMBER, SUM, SHOWN(1))                                   \
	X(R, int64_t, wait_ns, NUMBER, SUM, SHOWN(1))                                       \
	X(R, int64_t, unsplit_ns, NUMBER, SUM, SHOWN(1))                                    \
	/* the larger of bytes in and out, by which algorithm bandwidth is computed */      \
	X(R, int64_t, max_bytes_moved, KNOWN, MOST, HIDDEN)

struct baton_s_nccl {
	struct baton_record head;
	BATON_S_NCCL_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_nccl) == 72, "nccl");
_Static_assert(offsetof(struct baton_s_nccl, transfer_ns) == 40, "nccl transfer");

#define BATON_S_EVIDENCE_FIELDS(X, R)                                                          \
	X(R, uint32_t, device, TEXT, KEY, HIDDEN) /* the device's key */                           \
	X(R, uint32_t, leaf, LEAF, KEY, HIDDEN)                                                    \
	X(R, uint32_t, what, TEXT, KEY, HIDDEN)                                                    \
	/* for a stall: 1: the line of the launch that ended it; 0: the line that ran during it */ \
	X(R, uint32_t, before, RANGE(0, 1), KEY, HIDDEN)                                           \
	X(R, uint64_t, count, NUMBER, SUM, HIDDEN) /* gaps */                                      \
	X(R, int64_t, ns, TOTALLED, SUM, HIDDEN)

struct baton_s_evidence {
	struct baton_record head;
	BATON_S_EVIDENCE_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_evidence) == 40, "evidence");

#define BATON_S_SITE_BY 6   /* line, stack, module, op, range, shape */
#define BATON_S_SITE_KIND 4 /* project, elsewhere, unknown, rest */
#define BATON_S_SITE_FIELDS(X, R)                                                           \
	X(R, uint32_t, by, RANGE(1, BATON_S_SITE_BY), KEY, HIDDEN) /* enum site_by */           \
	X(R, uint32_t, what, TEXT, KEY, HIDDEN)                                                 \
	X(R, uint32_t, kind, RANGE(1, BATON_S_SITE_KIND), KEY, HIDDEN) /* enum site_kind */     \
	X(R, uint32_t, backward, RANGE(0, 1), KEY, HIDDEN) /* 1: launched in a backward pass */ \
	/* rows in SITE_REST, added over devices; else 0 */                                     \
	X(R, uint64_t, rows, NUMBER, SUM, HIDDEN)
#define BATON_S_SITE_SUMS(X, R)                                                             \
	/* the sum of durations of the ops of counted steps */                                  \
	X(R, BATON_S_BY_GROUP, gpu_ns, TOTALLED, SUM, HIDDEN)                                   \
	X(R, uint64_t, launches, NUMBER, SUM, HIDDEN)   /* the calls that launched those ops */ \
	X(R, int64_t, launch_ns, TOTALLED, SUM, HIDDEN) /* time in those calls */               \
	X(R, int64_t, cpu_ns, TOTALLED, SUM, HIDDEN)    /* idle.cpu before those ops */         \
	X(R, int64_t, host_ns, TOTALLED, SUM, HIDDEN)   /* idle.host before those ops */

struct baton_s_site {
	struct baton_record head;
	BATON_S_SITE_FIELDS(BATON_S_MEMBER, )
	BATON_S_SITE_SUMS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_site) == 104, "site");
_Static_assert(offsetof(struct baton_s_site, gpu_ns) == 32, "site GPU time");
_Static_assert(offsetof(struct baton_s_site, launches) == 72, "site launches");

#define BATON_S_SPREAD_FIELDS(X, R)                                                       \
	X(R, uint32_t, device, TEXT, KEY, HIDDEN) /* the device's key */                      \
	X(R, uint32_t, leaf, LEAF, KEY, HIDDEN)                                               \
	X(R, uint32_t, octave, RANGE(0, 62), KEY, HIDDEN)                                     \
	X(R, uint32_t, zero, ZERO, OWN, HIDDEN)                                               \
	X(R, uint64_t, steps, RANGE(1, BATON_S_STEPS_MOST), SUM, HIDDEN)                      \
	X(R, int64_t, ns, TOTALLED, SUM, HIDDEN) /* the sum over those steps */               \
	X(R, int64_t, worst_ns, NUMBER, OWN, HIDDEN)                                          \
	/* the first step of that length: its number, or its index among the counted steps */ \
	X(R, int64_t, worst_step, NUMBER, OWN, HIDDEN)

struct baton_s_spread {
	struct baton_record head;
	BATON_S_SPREAD_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_spread) == 56, "spread");
_Static_assert(offsetof(struct baton_s_spread, steps) == 24, "spread steps");

#define BATON_S_READING_FIELDS(X, R)                     \
	X(R, uint32_t, name, TEXT)                           \
	X(R, uint32_t, zero, ZERO)                           \
	X(R, uint64_t, looks, RANGE(1, BATON_TIME_LIMIT_NS)) \
	X(R, int64_t, sum, NUMBER)                           \
	X(R, int64_t, least, NUMBER)                         \
	X(R, int64_t, most, NUMBER)

struct baton_s_reading {
	struct baton_record head;
	BATON_S_READING_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_reading) == 48, "reading");
_Static_assert(offsetof(struct baton_s_reading, looks) == 16, "reading looks");

#define BATON_S_COPY_DIRECTIONS 6 /* enum baton_copy_dir */
#define BATON_S_COPY_FIELDS(X, R)                                                 \
	X(R, uint32_t, device, TEXT, KEY, SHOWN(1)) /* the device's key */            \
	X(R, uint32_t, direction, RANGE(0, BATON_S_COPY_DIRECTIONS - 1), KEY, HIDDEN) \
	X(R, uint32_t, pageable, RANGE(0, 1), KEY, HIDDEN)                            \
	X(R, uint32_t, zero, ZERO, OWN, HIDDEN)                                       \
	X(R, uint64_t, count, NUMBER, SUM, SHOWN(2))                                  \
	X(R, int64_t, total_ns, TOTALLED, SUM, SHOWN(2)) /* plain durations */        \
	X(R, int64_t, bytes, TOTALLED, SUM, SHOWN(2))                                 \
	X(R, int64_t, sized_ns, NUMBER, SUM, SHOWN(2)) /* of copies whose bytes are known */

struct baton_s_copy {
	struct baton_record head;
	BATON_S_COPY_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_copy) == 56, "copy");
_Static_assert(offsetof(struct baton_s_copy, count) == 24, "copy count");

#define BATON_S_PAIR_FIELDS(X, R)                                              \
	X(R, uint32_t, from, TEXT, KEY, SHOWN(1)) /* keys of devices */            \
	X(R, uint32_t, to, TEXT, KEY, SHOWN(1))                                    \
	X(R, uint32_t, device, TEXT, KEY, SHOWN(1)) /* on whose stream they ran */ \
	X(R, uint32_t, zero, ZERO, OWN, HIDDEN)                                    \
	X(R, uint64_t, count, NUMBER, SUM, SHOWN(1))                               \
	X(R, int64_t, total_ns, TOTALLED, SUM, SHOWN(1))                           \
	X(R, int64_t, bytes, TOTALLED, SUM, SHOWN(1))                              \
	X(R, int64_t, sized_ns, NUMBER, SUM, SHOWN(1))

struct baton_s_pair {
	struct baton_record head;
	BATON_S_PAIR_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_pair) == 56, "pair");
_Static_assert(offsetof(struct baton_s_pair, count) == 24, "pair count");

#define BATON_S_LATE_FIELDS(X, R)                                                                \
	X(R, uint32_t, device, TEXT, KEY, HIDDEN) /* the device's key */                             \
	X(R, int32_t, rank, RANGE(-1, INT32_MAX), KEY, HIDDEN)                                       \
	X(R, uint64_t, last, NUMBER, SUM, HIDDEN)       /* collectives where it came last */         \
	X(R, uint64_t, taken, NUMBER, SUM, HIDDEN)      /* split collectives that it took part in */ \
	X(R, int64_t, caused_ns, TOTALLED, SUM, HIDDEN) /* wait of the others where it came last */

struct baton_s_late {
	struct baton_record head;
	BATON_S_LATE_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_late) == 40, "late");

#define BATON_S_SERIES_FIELDS(X, R)                                                         \
	X(R, uint32_t, device, TEXT, KEY, HIDDEN)              /* the device's key */           \
	X(R, int32_t, rank, RANGE(-1, INT32_MAX), KEY, HIDDEN) /* -1: it is the device's */     \
	X(R, uint32_t, what, TEXT, KEY, HIDDEN)                /* a leaf, "step" or "caused" */ \
	X(R, uint32_t, zero, ZERO, OWN, HIDDEN)                                                 \
	X(R, int64_t, steps, RANGE(1, BATON_S_STEPS_MOST), OWN, HIDDEN)                         \
	X(R, int64_t, width, RANGE(1, BATON_S_STEPS_MOST), OWN, HIDDEN) /* steps of one cell */

struct baton_s_series {
	struct baton_record head;
	BATON_S_SERIES_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_series) == 40, "series");
_Static_assert(offsetof(struct baton_s_series, steps) == 24, "series steps");

#define BATON_S_CELLS_FIELDS(X, R) \
	X(R, uint32_t, cells, ANY)     \
	X(R, uint32_t, bytes, ANY) /* bytes of the varints that follow */

struct baton_s_cells {
	struct baton_record head;
	BATON_S_CELLS_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_cells) == 16, "cells");

#define BATON_S_STEPS_FIELDS(X, R)                                                                     \
	X(R, uint32_t, device, TEXT, KEY, HIDDEN) /* the device's key */                                   \
	/* how often other optimizers step in a step; "": none does, or once */                            \
	X(R, uint32_t, unit, TEXT, FIRST_TEXT, HIDDEN)                                                     \
	X(R, uint32_t, found, RANGE(0, 2), MOST, HIDDEN) /* enum steps_found */                            \
	X(R, uint32_t, tail, RANGE(0, 3), MOST, HIDDEN)  /* enum steps_tail */                             \
	/* which generation of a restarted rank was answered, from 1, and of how many; 0: of one */        \
	X(R, uint32_t, generation, RANGE(0, INT32_MAX), MOST, HIDDEN)                                      \
	X(R, uint32_t, generations, RANGE(0, INT32_MAX), MOST, HIDDEN)                                     \
	X(R, uint64_t, looked, NUMBER, SUM, HIDDEN)   /* steps whose kernels were compared */              \
	X(R, uint64_t, complete, NUMBER, SUM, HIDDEN) /* those that have the own kernels */                \
	X(R, uint64_t, ops_before, NUMBER, SUM, SHOWN(1))                                                  \
	X(R, uint64_t, ops_inside, NUMBER, SUM, HIDDEN)                                                    \
	X(R, uint64_t, ops_after, NUMBER, SUM, SHOWN(1))                                                   \
	X(R, int64_t, before_ns, NUMBER, SUM, SHOWN(1)) /* of the hull, before the windows */              \
	X(R, int64_t, after_ns, NUMBER, SUM, SHOWN(1))                                                     \
	X(R, uint64_t, left_out, NUMBER, SUM, HIDDEN) /* steps of other generations */                     \
	/* when the first counted step began, in the trace's clock; -1: not known */                       \
	X(R, int64_t, entered_ns, KNOWN, LEAST, HIDDEN)                                                    \
	X(R, uint64_t, entered_after, NUMBER, MOST, HIDDEN) /* so many steps that are cut */               \
	/* where threads of the process train by themselves: whose steps these are; of how many threads; \
	 * of those that launch kernels on the device; steps of the others of those */ \
	X(R, uint32_t, thread, TEXT, FIRST_TEXT, HIDDEN)                                                   \
	X(R, uint32_t, loops, RANGE(0, INT32_MAX), MOST, HIDDEN)                                           \
	X(R, uint32_t, loops_here, RANGE(0, INT32_MAX), MOST, HIDDEN)                                      \
	X(R, uint32_t, beside, RANGE(0, INT32_MAX), MOST, HIDDEN)                                          \
	/* enum steps_way: it was tried too; 1: first, and the steps are used instead of its own */        \
	X(R, uint32_t, other_way, RANGE(0, 3), MOST, HIDDEN)                                               \
	X(R, uint32_t, other_first, RANGE(0, 1), MOST, HIDDEN)                                             \
	X(R, uint64_t, other_steps, NUMBER, SUM, HIDDEN)                                                   \
	X(R, uint64_t, other_looked, NUMBER, SUM, HIDDEN)                                                  \
	X(R, uint64_t, other_complete, NUMBER, SUM, HIDDEN)                                                \
	X(R, uint64_t, other_inside, NUMBER, SUM, HIDDEN) /* kernels in its steps */                       \
	X(R, uint64_t, other_outside, NUMBER, SUM, HIDDEN)

struct baton_s_steps {
	struct baton_record head;
	BATON_S_STEPS_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_steps) == 176, "steps");
_Static_assert(offsetof(struct baton_s_steps, looked) == 32, "steps looked at");

#define BATON_S_CULPRIT_FIELDS(X, R)                                                             \
	/* 0: of the replay itself, without a cause; then the culprits, in their order */            \
	X(R, uint32_t, order, RANGE(0, INT32_MAX), KEY, HIDDEN)                                      \
	X(R, uint32_t, cause, TEXT, FIRST_TEXT, SHOWN(1))  /* docs/GRAPH.md */                       \
	X(R, uint32_t, device, TEXT, FIRST_TEXT, SHOWN(1)) /* the device's key; "": not of one */    \
	X(R, uint32_t, host, TEXT, FIRST_TEXT, SHOWN(1))   /* "": not of one host's ranks */         \
	X(R, int32_t, rank, RANGE(-1, INT32_MAX), MOST, HIDDEN)                                      \
	X(R, uint32_t, steps, ANY, MOST, HIDDEN)            /* that were replayed */                 \
	X(R, int64_t, gain_ns, NUMBER, MOST, SHOWN(2))      /* per step, without it */               \
	X(R, int64_t, limit_ns, NUMBER, MOST, SHOWN(2))     /* its lower limit over the steps */     \
	X(R, int64_t, step_ns, NUMBER, MOST, HIDDEN)        /* as measured, of the replayed ones */  \
	X(R, int64_t, unexplained_ns, NUMBER, MOST, HIDDEN) /* of the critical path, per step */     \
	/* between these the gain lies; 0 in the row of the replay itself */                         \
	X(R, int64_t, low_ns, NUMBER, MOST, SHOWN(2))                                                \
	X(R, int64_t, high_ns, NUMBER, MOST, SHOWN(2))                                               \
	/* of two that pay only together the other one, whose row this is too; "": it pays alone */  \
	X(R, uint32_t, with_cause, TEXT, FIRST_TEXT, HIDDEN)                                         \
	X(R, uint32_t, with_device, TEXT, FIRST_TEXT, HIDDEN)                                        \
	X(R, int32_t, with_rank, RANGE(-1, INT32_MAX), MOST, HIDDEN)                                 \
	/* 0, or a number that those have in common that were found together: docs/GRAPH.md */       \
	X(R, uint32_t, group, RANGE(0, INT32_MAX), MOST, HIDDEN)                                     \
	/* what the cause wins without it; of one that pays alone what its finding wins by itself */ \
	X(R, int64_t, alone_ns, NUMBER, MOST, HIDDEN)                                                \
	X(R, int64_t, with_alone_ns, NUMBER, MOST, HIDDEN) /* what that wins without the cause */

struct baton_s_culprit {
	struct baton_record head;
	BATON_S_CULPRIT_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_culprit) == 112, "culprit");
_Static_assert(offsetof(struct baton_s_culprit, gain_ns) == 32, "culprit gain");

/* The four kinds that only a part has (docs/FORMAT.md section 6): who recorded it, and what the
 * scans of its devices have to tell those of other parts. */
#define BATON_S_PROCESS_FIELDS(X, R)                                           \
	X(R, uint32_t, host, TEXT, KEY, HIDDEN)                                    \
	X(R, uint32_t, generation, ANY, KEY, HIDDEN)                               \
	X(R, int64_t, pid, ANY, KEY, HIDDEN)                                       \
	X(R, uint64_t, start_time, ANY, KEY, HIDDEN)                               \
	X(R, uint32_t, run, TEXT, FIRST_TEXT, HIDDEN)    /* the id of its run */   \
	X(R, uint32_t, source, TEXT, FIRST_TEXT, HIDDEN) /* as the run's source */ \
	X(R, int32_t, rank, RANGE(-1, INT32_MAX), MOST, HIDDEN)                    \
	X(R, int32_t, world_size, RANGE(-1, INT32_MAX), MOST, HIDDEN)

struct baton_s_process {
	struct baton_record head;
	BATON_S_PROCESS_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_process) == 48, "process");
_Static_assert(offsetof(struct baton_s_process, pid) == 16, "process pid");

enum baton_scan_flags {
	BATON_SCAN_EMPTY = 1,     /* no op ran on it */
	BATON_SCAN_PERIOD = 2,    /* its steps come from periodicity */
	BATON_SCAN_OPTIMIZER = 4, /* its steps come from an optimizer's marks */
	BATON_SCAN_STEPS = 8,     /* it has steps */
	BATON_SCAN_FLAGS_ALL = 15
};

#define BATON_S_SCAN_FIELDS(X, R)                                                              \
	X(R, uint32_t, device, TEXT, KEY, HIDDEN) /* the device's key */                           \
	X(R, uint32_t, flags, RANGE(0, BATON_SCAN_FLAGS_ALL), MOST, HIDDEN)                        \
	/* kernels from which steps were sought by periodicity, and the steps that were found */   \
	X(R, uint32_t, launches, ANY, MOST, HIDDEN)                                                \
	X(R, uint32_t, found, ANY, MOST, HIDDEN)                                                   \
	X(R, uint32_t, looked, ANY, MOST, HIDDEN) /* steps whose kernels were compared */          \
	X(R, uint32_t, complete, ANY, MOST, HIDDEN)                                                \
	/* hash of the devices and processes whose collectives were known when its time was      \
	 * divided */ \
	X(R, uint64_t, met, ANY, MOST, HIDDEN)

struct baton_s_scan {
	struct baton_record head;
	BATON_S_SCAN_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_scan) == 40, "scan");
_Static_assert(offsetof(struct baton_s_scan, met) == 32, "scan met");

#define BATON_S_COMM_FIELDS(X, R)                                    \
	X(R, uint64_t, comm, ANY, KEY, HIDDEN)    /* its hash */         \
	X(R, uint32_t, device, TEXT, KEY, HIDDEN) /* the device's key */ \
	X(R, uint32_t, members, ANY, SUM, HIDDEN) /* processes that are in it there */

struct baton_s_comm {
	struct baton_record head;
	BATON_S_COMM_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_comm) == 24, "comm");

/* A collective, as far as its members are known: docs/ATTRIBUTION.md section 3. */
#define BATON_S_MEETING_FIELDS(X, R)                                                             \
	X(R, uint64_t, comm, ANY, KEY, HIDDEN)                                                       \
	X(R, uint64_t, sequence, ANY, KEY, HIDDEN)                                                   \
	X(R, int64_t, step_number, ANY, KEY, HIDDEN)                                                 \
	X(R, uint32_t, coll, ANY, KEY, HIDDEN)                                                       \
	X(R, uint32_t, ordered, RANGE(0, 1), KEY, HIDDEN) /* 1: matched by its place in the order */ \
	X(R, uint32_t, members, ANY, SUM, HIDDEN)                                                    \
	X(R, uint32_t, calls, ANY, LEAST, HIDDEN)                                                    \
	X(R, uint32_t, size, ANY, MOST, HIDDEN) /* of the communicator; 0: unknown */                \
	X(R, uint32_t, ambiguous, RANGE(0, 1), OWN, HIDDEN)                                          \
	X(R, uint32_t, last_device, TEXT, OWN, HIDDEN) /* of the member that came last: */           \
	X(R, uint32_t, last_driver, ANY, OWN, HIDDEN)  /* the number of its process on it */         \
	X(R, int64_t, min_ns, NUMBER, LEAST, HIDDEN)                                                 \
	X(R, int64_t, max_ns, NUMBER, MOST, HIDDEN)                                                  \
	X(R, int64_t, sum_ns, NUMBER, SUM, HIDDEN)                                                   \
	X(R, int64_t, first_end_ns, ANY, LEAST, HIDDEN)                                              \
	X(R, int64_t, last_end_ns, ANY, MOST, HIDDEN)                                                \
	X(R, int64_t, bytes, KNOWN, MOST, HIDDEN)

struct baton_s_meeting {
	struct baton_record head;
	BATON_S_MEETING_FIELDS(BATON_S_MEMBER, )
};
_Static_assert(sizeof(struct baton_s_meeting) == 112, "meeting");
_Static_assert(offsetof(struct baton_s_meeting, min_ns) == 64, "meeting times");

#endif
