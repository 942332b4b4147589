/* The records of summary files: structures of docs/FORMAT.md section 6, which is the definition. */
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
	BATON_S_END = 81
};

struct baton_s_reduction {
	struct baton_record head;
	uint32_t reducer_version;
	int32_t world_size;
	uint64_t options_hash;
	uint32_t hosts;
	uint32_t step_source;
	uint32_t mode;
	uint32_t source;
};
_Static_assert(sizeof(struct baton_s_reduction) == 40, "reduction");
_Static_assert(offsetof(struct baton_s_reduction, options_hash) == 16, "reduction options");

struct baton_s_input {
	struct baton_record head;
	uint32_t name;
	uint32_t zero;
	uint64_t bytes;
	int64_t mtime_ns;
};
_Static_assert(sizeof(struct baton_s_input) == 32, "input");
_Static_assert(offsetof(struct baton_s_input, bytes) == 16, "input size");

enum baton_rank_state { BATON_RANK_SEEN = 1, BATON_RANK_MISSING = 2 };

struct baton_s_rank {
	struct baton_record head;
	int32_t rank;
	uint32_t state;
};
_Static_assert(sizeof(struct baton_s_rank) == 16, "rank");

struct baton_s_quality {
	struct baton_record head;
	uint64_t records;
	uint64_t dropped;
	uint64_t in_flight;
	uint64_t ops;
	uint64_t unmatched_ops;
	uint64_t invalid_timestamps;
	uint64_t invalid_events;
	uint64_t truncated_files;
	uint64_t unreadable_files;
	int64_t clock_residual_ns;
	uint64_t unrecorded_ns;
	uint64_t hand_offs;
	uint64_t steps_cut;
	int64_t tool_ns;
	uint64_t launches;
	uint64_t rounded_quantiles;
	uint64_t unsampled_ns;
};
_Static_assert(sizeof(struct baton_s_quality) == 144, "quality");
_Static_assert(offsetof(struct baton_s_quality, clock_residual_ns) == 80, "quality clock");
_Static_assert(offsetof(struct baton_s_quality, tool_ns) == 112, "quality tool");

#define BATON_S_GROUPS 5

struct baton_s_device {
	struct baton_record head;
	uint32_t key;
	uint32_t name;
	int64_t steps;
	int64_t window_ns;
	int64_t hull_ns;
	int64_t hull_idle_ns;
	int64_t lead_in_ns;
	int64_t nccl_hidden_ns;
	int64_t floor_ns;
	int64_t queued_gap_ns;
	int64_t kernels;
	int64_t launches;
	int64_t short_kernels;
	int64_t busy_ns[BATON_S_GROUPS];
};
_Static_assert(sizeof(struct baton_s_device) == 144, "device");
_Static_assert(offsetof(struct baton_s_device, kernels) == 80, "device kernels");
_Static_assert(offsetof(struct baton_s_device, busy_ns) == 104, "device busy");

struct baton_s_driver {
	struct baton_record head;
	int32_t rank;
	uint32_t zero;
	int64_t pid;
};
_Static_assert(sizeof(struct baton_s_driver) == 24, "driver");

struct baton_s_leaf {
	struct baton_record head;
	uint32_t leaf;
	uint32_t carried;
	int64_t ns;
};
_Static_assert(sizeof(struct baton_s_leaf) == 24, "leaf");

struct baton_s_kernel {
	struct baton_record head;
	uint32_t name;
	uint32_t class_name;
	uint32_t group;
	int32_t tensor_core;
	uint64_t count;
	int64_t total_ns;
};
_Static_assert(sizeof(struct baton_s_kernel) == 40, "kernel");
_Static_assert(offsetof(struct baton_s_kernel, count) == 24, "kernel count");

struct baton_s_distribution {
	struct baton_record head;
	uint32_t pairs;
	uint32_t bytes; /* of varints; they follow */
	uint32_t rounded;
	uint32_t zero;
};
_Static_assert(sizeof(struct baton_s_distribution) == 24, "distribution");

struct baton_s_nccl {
	struct baton_record head;
	uint32_t op;
	uint32_t comm;
	uint32_t reason;
	uint32_t members;
	int64_t bytes;
	uint64_t count;
	int64_t transfer_ns;
	int64_t wait_ns;
	int64_t unsplit_ns;
	int64_t max_bytes_moved;
};
_Static_assert(sizeof(struct baton_s_nccl) == 72, "nccl");
_Static_assert(offsetof(struct baton_s_nccl, transfer_ns) == 40, "nccl transfer");

struct baton_s_evidence {
	struct baton_record head;
	uint32_t device;
	uint32_t leaf;
	uint32_t what;
	uint32_t before; /* of a stall; else 0 */
	uint64_t count;
	int64_t ns;
};
_Static_assert(sizeof(struct baton_s_evidence) == 40, "evidence");

struct baton_s_site {
	struct baton_record head;
	uint32_t by;
	uint32_t what;
	uint32_t kind;
	uint32_t backward;
	uint64_t rows;
	int64_t gpu_ns[BATON_S_GROUPS];
	uint64_t launches;
	int64_t launch_ns;
	int64_t cpu_ns;
	int64_t host_ns;
};
_Static_assert(sizeof(struct baton_s_site) == 104, "site");
_Static_assert(offsetof(struct baton_s_site, gpu_ns) == 32, "site GPU time");
_Static_assert(offsetof(struct baton_s_site, launches) == 72, "site launches");

struct baton_s_spread {
	struct baton_record head;
	uint32_t device;
	uint32_t leaf;
	uint32_t octave;
	uint32_t zero;
	uint64_t steps;
	int64_t ns;
	int64_t worst_ns;
	int64_t worst_step;
};
_Static_assert(sizeof(struct baton_s_spread) == 56, "spread");
_Static_assert(offsetof(struct baton_s_spread, steps) == 24, "spread steps");

struct baton_s_reading {
	struct baton_record head;
	uint32_t name;
	uint32_t zero;
	uint64_t looks;
	int64_t sum;
	int64_t least;
	int64_t most;
};
_Static_assert(sizeof(struct baton_s_reading) == 48, "reading");
_Static_assert(offsetof(struct baton_s_reading, looks) == 16, "reading looks");

struct baton_s_late {
	struct baton_record head;
	uint32_t device;
	int32_t rank;
	uint64_t last;
	uint64_t taken;
	int64_t caused_ns;
};
_Static_assert(sizeof(struct baton_s_late) == 40, "late");

#endif
