/* Records, in blocks of kind 2: dictionaries, and what is so of a whole process (docs/FORMAT.md section
 * 3). */
#ifndef BATON_FORMAT_RECORDS_H
#define BATON_FORMAT_RECORDS_H

#include <stddef.h>
#include <stdint.h>

enum baton_record_type {
	BATON_R_STRING = 1,
	BATON_R_THREAD = 2,
	BATON_R_DEVICE = 3,
	BATON_R_STREAM = 4,
	BATON_R_COMM = 5,
	BATON_R_PROCESS = 6,
	BATON_R_META = 7,
	BATON_R_CLOCK = 8,
	BATON_R_LOSS = 9,
	BATON_R_COST = 10,
	BATON_R_MODULE = 11,
	BATON_R_CODE = 12,
	BATON_R_STACK = 13,
	BATON_R_CHECKPOINT = 14,
	BATON_R_SHAPE = 15,
	BATON_R_KEPT = 16,
	BATON_R_INPUTS = 17,
	BATON_R_PRIORITY = 18,
	BATON_R_SUMMARY_FIRST = 64,
	BATON_R_SUMMARY_LAST = 127
};

struct baton_record {
	uint16_t type;
	uint16_t zero;
	uint32_t size;
};
_Static_assert(sizeof(struct baton_record) == 8, "record");

struct baton_r_string {
	struct baton_record head;
	uint32_t id;
	uint32_t bytes; /* the text follows */
};
_Static_assert(sizeof(struct baton_r_string) == 16, "string");

struct baton_r_thread {
	struct baton_record head;
	uint32_t id;
	uint32_t name;
	int64_t pid;
	int64_t tid;
};
_Static_assert(sizeof(struct baton_r_thread) == 32, "thread");

struct baton_r_device {
	struct baton_record head;
	uint32_t id;
	int32_t ordinal;
	uint32_t name;
	uint32_t uuid;
	uint64_t memory_bytes;
	uint32_t sm_count;
	uint32_t zero;
};
_Static_assert(sizeof(struct baton_r_device) == 40, "device");

struct baton_r_stream {
	struct baton_record head;
	uint32_t id;
	uint32_t device;
	int64_t context;
	int64_t stream;
};
_Static_assert(sizeof(struct baton_r_stream) == 32, "stream");

enum baton_stream_kind { /* how a stream orders itself against the default one */
						 BATON_STREAM_UNKNOWN = 0,
						 BATON_STREAM_DEFAULT = 1,
						 BATON_STREAM_NON_BLOCKING = 2,
						 BATON_STREAM_NULL = 3
};

struct baton_r_priority { /* of a stream; its definition may come later */
	struct baton_record head;
	uint32_t stream;
	int32_t priority; /* CUDA's: the lowest number goes first */
	uint32_t kind;    /* enum baton_stream_kind */
	uint32_t zero;
};
_Static_assert(sizeof(struct baton_r_priority) == 24, "priority");

struct baton_r_comm {
	struct baton_record head;
	uint32_t id;
	uint32_t size;
	uint64_t hash;
	uint32_t name;
	uint32_t ranks;
};
_Static_assert(sizeof(struct baton_r_comm) == 32, "communicator");

struct baton_r_process {
	struct baton_record head;
	int64_t pid;
	uint64_t start_time;
	uint8_t boot_id[16];
	int32_t rank;
	int32_t world_size;
	int32_t local_rank;
	uint32_t generation;
	uint32_t host;
	uint32_t source;
	uint32_t source_version;
	uint32_t run_id;
	uint64_t zero;
};
_Static_assert(sizeof(struct baton_r_process) == 80, "process");
_Static_assert(offsetof(struct baton_r_process, rank) == 40, "process rank");

struct baton_r_meta {
	struct baton_record head;
	uint32_t key;
	uint32_t value;
};
_Static_assert(sizeof(struct baton_r_meta) == 16, "meta");
/* A key: where a limit left little, what the recorder did without. */
#define BATON_META_LIMITED "recorder.limited"
/* A key: rows of kind BATON_SCHED have a holder where a thread waited for its interpreter's lock. */
#define BATON_META_PYTHON_LOCK "python.lock"
/* Where things sit; in a file of gauges the id of the device follows, after a dot. */
#define BATON_META_CPUS "place.cpus"
#define BATON_META_PCI "place.pci"
#define BATON_META_NUMA "place.numa"
#define BATON_META_LINKS "place.links"
/* Followed by a dot and a thread's id: for which other one it runs backward passes. */
#define BATON_META_AUTOGRAD "autograd.caller"

enum baton_clock_kind {
	BATON_CLOCK_REALTIME = 1,
	BATON_CLOCK_GPU = 2,      /* reference_ns - local_ns was added to the GPU's times at import */
	BATON_CLOCK_MONOTONIC = 3 /* what CLOCK_MONOTONIC said at local_ns */
};

struct baton_r_clock {
	struct baton_record head;
	int64_t local_ns;
	int64_t reference_ns;
	uint32_t kind; /* enum baton_clock_kind */
	uint32_t zero;
};
_Static_assert(sizeof(struct baton_r_clock) == 32, "clock");

enum baton_loss_kind {
	BATON_LOSS_DROPPED = 1,
	BATON_LOSS_IN_FLIGHT = 2,
	BATON_LOSS_INVALID = 3,
	BATON_LOSS_TRUNCATED = 4
};

struct baton_r_loss {
	struct baton_record head;
	uint32_t kind;
	uint32_t what;
	uint64_t count;
};
_Static_assert(sizeof(struct baton_r_loss) == 24, "loss");

struct baton_r_cost {
	struct baton_record head;
	uint32_t what;
	uint32_t zero;
	uint64_t ns;
};
_Static_assert(sizeof(struct baton_r_cost) == 24, "cost");

struct baton_r_module {
	struct baton_record head;
	uint32_t id;
	uint32_t path;
	uint32_t build_id;
	uint32_t zero;
};
_Static_assert(sizeof(struct baton_r_module) == 24, "module");

struct baton_r_code {
	struct baton_record head;
	uint32_t id;
	uint32_t file;
	uint32_t function;
	int32_t first_line;
	uint32_t python;
	uint32_t bytes; /* the line table follows */
};
_Static_assert(sizeof(struct baton_r_code) == 32, "code");

enum baton_frame_kind { BATON_FRAME_PYTHON = 1, BATON_FRAME_NATIVE = 2, BATON_FRAME_BACKWARD = 3 };

struct baton_frame {
	uint32_t kind;
	uint32_t of; /* code or module */
	uint64_t offset;
};
_Static_assert(sizeof(struct baton_frame) == 16, "frame");

struct baton_r_stack {
	struct baton_record head;
	uint32_t id;
	uint32_t frames; /* struct baton_frame each, innermost first, follow */
};
_Static_assert(sizeof(struct baton_r_stack) == 16, "stack");

struct baton_r_checkpoint {
	struct baton_record head;
	uint32_t lanes;
	uint32_t zero;
	uint64_t dictionary;
	uint64_t launches;
	uint64_t kernels; /* uint64_t {tail, dropped, dropped_launches}[lanes] follow */
};
_Static_assert(sizeof(struct baton_r_checkpoint) == 40, "checkpoint");

#define BATON_SHAPE_UNKNOWN UINT32_MAX

struct baton_r_shape { /* of a launch */
	struct baton_record head;
	uint32_t id;
	uint32_t registers; /* a thread; BATON_SHAPE_UNKNOWN: not known, like the shared bytes */
	uint32_t grid[3];
	uint32_t block[3];
	uint32_t cluster[3]; /* 0: none, or not known */
	uint32_t static_shared;
	uint32_t dynamic_shared;
	uint32_t zero;
};
_Static_assert(sizeof(struct baton_r_shape) == 64, "shape");

struct baton_r_kept {
	struct baton_record head;
	int64_t keep_ns;
	int64_t begin_ns;
	int64_t from_ns;
	uint64_t launches;
	uint64_t kernels;
};
_Static_assert(sizeof(struct baton_r_kept) == 48, "kept");

struct baton_r_inputs { /* of an operator */
	struct baton_record head;
	uint32_t id;
	uint32_t shapes; /* JSON lists as texts */
	uint32_t types;
	uint32_t zero;
};
_Static_assert(sizeof(struct baton_r_inputs) == 24, "inputs");

#endif
