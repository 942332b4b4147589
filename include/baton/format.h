/* The baton trace format, version 1.1: structures, kinds and tables of docs/FORMAT.md, which is the
 * definition. Little-endian hosts only. Nothing here allocates or does I/O. */
#ifndef BATON_FORMAT_H
#define BATON_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the baton format is read and written on little-endian hosts only"
#endif

#define BATON_FILE_MAGIC \
	"\x89"               \
	"BTN\r\n\x1a\n"
#define BATON_BLOCK_MAGIC 0x4B4C4254u
#define BATON_MAJOR 1
#define BATON_MINOR 1

#define BATON_MAX_FILE_HEADER 4096u
#define BATON_MAX_ROWS (1u << 20)
#define BATON_MAX_PAYLOAD (64u << 20)
#define BATON_MAX_DIRECTORY 256u
#define BATON_MAX_PARTS 1024u
#define BATON_TIME_LIMIT_NS ((int64_t)1 << 62)

enum baton_content { BATON_TRACE = 1, BATON_SUMMARY = 2, BATON_GAUGES = 3 };
enum baton_compression { BATON_STORED = 0, BATON_ZSTD = 1, BATON_PARTS = 2 };

enum baton_kind {
	BATON_END = 1,
	BATON_RECORDS = 2,
	BATON_OP = 16,
	BATON_CALL = 17,
	BATON_RANGE = 18,
	BATON_COLLECTIVE = 19,
	BATON_SYNC = 20,
	BATON_OVERHEAD = 21,
	BATON_SCHED = 22,
	BATON_GAUGE = 23,
	BATON_KINDS_END = 24
};

struct baton_file_header {
	char magic[8];
	uint16_t major;
	uint16_t minor;
	uint32_t header_bytes;
	uint32_t content;
	uint32_t zero0;
	uint64_t file_id;
	uint64_t zero1[3];
	uint64_t header_hash;
};
_Static_assert(sizeof(struct baton_file_header) == 64, "file header");
_Static_assert(offsetof(struct baton_file_header, header_hash) == 56, "file header hash");

struct baton_block_header {
	uint32_t magic;
	uint16_t kind;
	uint8_t compression;
	uint8_t zero0;
	uint32_t rows;
	uint32_t raw_bytes;
	uint32_t stored_bytes;
	uint32_t zero1;
	uint64_t sequence;
	int64_t t_min_ns;
	int64_t t_max_ns;
	uint64_t payload_hash;
	uint64_t header_hash;
};
_Static_assert(sizeof(struct baton_block_header) == 64, "block header");
_Static_assert(offsetof(struct baton_block_header, header_hash) == 56, "block header hash");

/* ---- records (kind 2) ---- */

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
/* A key: rows of kind BATON_SCHED have a holder where a thread waited for its interpreter's lock. */
#define BATON_META_LIMITED "recorder.limited"
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
	BATON_CLOCK_GPU = 2 /* reference_ns - local_ns was added to the GPU's times at import */
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

/* ---- tables (kinds 16 to 31): a column's id is its index here + 1 ---- */

enum baton_column_type {
	BATON_T_TIME,
	BATON_T_DURATION,
	BATON_T_U8,
	BATON_T_U32,
	BATON_T_U64,
	BATON_T_STRING,
	BATON_T_ID
};

struct baton_column {
	const char *name;
	uint8_t type;     /* enum baton_column_type */
	uint8_t required; /* 1: a block without it is damaged */
};

#define BATON_MAX_COLUMNS 14

struct baton_table {
	uint16_t kind;
	uint16_t n_columns;
	const char *name;
	struct baton_column columns[BATON_MAX_COLUMNS];
	/* columns of the stream, thread, ... that a row follows others of, and of what it is called:
	 * they predict others (baton/predict.h) */
	uint8_t chain, name_of;
};

enum { ROW_START, ROW_DUR }; /* the first two columns of every table */

enum {
	OP_START,
	OP_DUR,
	OP_KIND,
	OP_STREAM,
	OP_CORRELATION,
	OP_NAME,
	OP_BYTES,
	OP_COPY_DIR,
	OP_PAGEABLE,
	OP_GRAPH_NODE,
	OP_SHAPE,
	OP_MEMORY,
	OP_SOURCE,
	OP_TARGET,
	OP_COLUMNS
};
enum {
	CALL_START,
	CALL_DUR,
	CALL_THREAD,
	CALL_NAME,
	CALL_CORRELATION,
	CALL_STACK,
	CALL_DEVICE,
	CALL_RESULT,
	CALL_BYTES,
	CALL_MEMORY,
	CALL_COLUMNS
};
enum {
	RANGE_START,
	RANGE_DUR,
	RANGE_THREAD,
	RANGE_NAME,
	RANGE_CATEGORY,
	RANGE_DOMAIN,
	RANGE_UNCLOSED,
	RANGE_INPUTS,
	RANGE_COLUMNS
};
enum {
	COLL_START,
	COLL_DUR,
	COLL_CORRELATION,
	COLL_COMM,
	COLL_KIND,
	COLL_BYTES,
	COLL_OUT_BYTES,
	COLL_DTYPE,
	COLL_SEQUENCE,
	COLL_PEER,
	COLL_COLUMNS
};
enum {
	SYNC_START,
	SYNC_DUR,
	SYNC_KIND,
	SYNC_STREAM,
	SYNC_CORRELATION,
	SYNC_EVENT,
	SYNC_RECORD_CORRELATION,
	SYNC_COLUMNS
};
enum {
	OVERHEAD_START,
	OVERHEAD_DUR,
	OVERHEAD_THREAD,
	OVERHEAD_KIND,
	OVERHEAD_NAME,
	OVERHEAD_COLUMNS
};
enum {
	SCHED_START,
	SCHED_DUR,
	SCHED_THREAD,
	SCHED_SLEPT,
	SCHED_WAITED,
	SCHED_STACK,
	SCHED_HOLDER,
	SCHED_HOLDER_STACK,
	SCHED_COLUMNS
};
enum { GAUGE_START, GAUGE_DUR, GAUGE_DEVICE, GAUGE_WHICH, GAUGE_VALUE, GAUGE_COLUMNS };

enum baton_op_kind { BATON_KERNEL = 1, BATON_MEMCPY = 2, BATON_MEMSET = 3, BATON_GRAPH = 4 };

enum baton_copy_dir {
	BATON_COPY_UNKNOWN,
	BATON_COPY_HTOD,
	BATON_COPY_DTOH,
	BATON_COPY_DTOD,
	BATON_COPY_HTOH,
	BATON_COPY_PEER
};

/* Where an end of a copy lies, or what is filled or allocated. The column of ops has the source in
 * its low four bits and the destination in the high ones. */
enum baton_memory {
	BATON_MEMORY_UNKNOWN = 0,
	BATON_MEMORY_PAGEABLE = 1,
	BATON_MEMORY_PINNED = 2,
	BATON_MEMORY_DEVICE = 3,
	BATON_MEMORY_ARRAY = 4,
	BATON_MEMORY_MANAGED = 5,
	BATON_MEMORY_DEVICE_STATIC = 6,
	BATON_MEMORY_MANAGED_STATIC = 7,
	BATON_MEMORY_END = 8
};

enum baton_range_category {
	BATON_RANGE_NVTX = 1,
	BATON_RANGE_NVTX_SPAN = 2,
	BATON_RANGE_ANNOTATION = 3,
	BATON_RANGE_OPERATOR = 4,
	BATON_RANGE_PYTHON = 5,
	BATON_RANGE_MARK = 6,
	BATON_RANGE_OPTIMIZER = 7
};

enum baton_coll {
	BATON_COLL_UNKNOWN,
	BATON_COLL_ALLREDUCE,
	BATON_COLL_ALLGATHER,
	BATON_COLL_REDUCESCATTER,
	BATON_COLL_ALLTOALL,
	BATON_COLL_BARRIER,
	BATON_COLL_BROADCAST,
	BATON_COLL_REDUCE,
	BATON_COLL_GATHER,
	BATON_COLL_SCATTER,
	BATON_COLL_SEND,
	BATON_COLL_RECV,
	BATON_COLL_SENDRECV,
	BATON_COLL_END
};

enum baton_sync_kind {
	BATON_SYNC_EVENT_RECORD = 1,
	BATON_SYNC_STREAM_WAIT = 2,
	BATON_SYNC_EVENT = 3,
	BATON_SYNC_STREAM = 4,
	BATON_SYNC_CONTEXT = 5,
	BATON_SYNC_HOST_FUNC = 6,
	BATON_SYNC_PEER = 7
};

enum baton_overhead_kind {
	BATON_OVERHEAD_PROFILER = 1,
	BATON_OVERHEAD_MODULE_LOAD = 2,
	BATON_OVERHEAD_BUFFER_FULL = 3
};

enum baton_gauge {
	BATON_GAUGE_SM_MHZ = 1,
	BATON_GAUGE_SM_MAX_MHZ = 2,
	BATON_GAUGE_MEMORY_MHZ = 3,
	BATON_GAUGE_POWER_MW = 4,
	BATON_GAUGE_POWER_LIMIT_MW = 5,
	BATON_GAUGE_TEMPERATURE_C = 6,
	BATON_GAUGE_MEMORY_USED_BYTES = 7,
	BATON_GAUGE_GPU_BUSY_PERCENT = 8,
	BATON_GAUGE_MEMORY_BUSY_PERCENT = 9,
	BATON_GAUGE_EVENT_REASONS = 10,
	BATON_GAUGE_END = 11
};

static const struct baton_table baton_tables[] = {
	{BATON_OP,
	 OP_COLUMNS,
	 "op",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"op_kind", BATON_T_U8, 1},
	  {"stream", BATON_T_ID, 1},
	  {"correlation", BATON_T_U64, 1},
	  {"name", BATON_T_STRING, 1},
	  {"bytes", BATON_T_U64, 0},
	  {"copy_dir", BATON_T_U8, 0},
	  {"pageable", BATON_T_U8, 0},
	  {"graph_node", BATON_T_U64, 0},
	  {"shape", BATON_T_ID, 0},
	  {"memory", BATON_T_U8, 0},
	  {"source", BATON_T_ID, 0},
	  {"target", BATON_T_ID, 0}},
	 OP_STREAM,
	 OP_NAME},
	{BATON_CALL,
	 CALL_COLUMNS,
	 "call",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"thread", BATON_T_ID, 1},
	  {"name", BATON_T_STRING, 1},
	  {"correlation", BATON_T_U64, 1},
	  {"stack", BATON_T_ID, 0},
	  {"device", BATON_T_ID, 0},
	  {"result", BATON_T_U32, 0},
	  {"bytes", BATON_T_U64, 0},
	  {"memory", BATON_T_U8, 0}},
	 CALL_THREAD,
	 CALL_NAME},
	{BATON_RANGE,
	 RANGE_COLUMNS,
	 "range",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"thread", BATON_T_ID, 1},
	  {"name", BATON_T_STRING, 1},
	  {"category", BATON_T_U8, 1},
	  {"domain", BATON_T_STRING, 0},
	  {"unclosed", BATON_T_U8, 0},
	  {"inputs", BATON_T_ID, 0}},
	 RANGE_THREAD,
	 RANGE_NAME},
	{BATON_COLLECTIVE,
	 COLL_COLUMNS,
	 "collective",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"correlation", BATON_T_U64, 1},
	  {"comm", BATON_T_ID, 1},
	  {"coll", BATON_T_U8, 1},
	  {"bytes", BATON_T_U64, 0},
	  {"out_bytes", BATON_T_U64, 0},
	  {"dtype", BATON_T_STRING, 0},
	  {"sequence", BATON_T_U64, 0},
	  {"peer", BATON_T_U32, 0}},
	 COLL_COMM,
	 COLL_KIND},
	{BATON_SYNC,
	 SYNC_COLUMNS,
	 "sync",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"sync_kind", BATON_T_U8, 1},
	  {"stream", BATON_T_ID, 1},
	  {"correlation", BATON_T_U64, 0},
	  {"event", BATON_T_U64, 0},
	  {"record_correlation", BATON_T_U64, 0}},
	 SYNC_STREAM,
	 SYNC_KIND},
	{BATON_OVERHEAD,
	 OVERHEAD_COLUMNS,
	 "overhead",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"thread", BATON_T_ID, 1},
	  {"overhead_kind", BATON_T_U8, 1},
	  {"name", BATON_T_STRING, 0}},
	 OVERHEAD_THREAD,
	 OVERHEAD_KIND},
	{BATON_SCHED,
	 SCHED_COLUMNS,
	 "sched",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"thread", BATON_T_ID, 1},
	  {"slept_ns", BATON_T_U64, 1},
	  {"waited_ns", BATON_T_U64, 1},
	  {"stack", BATON_T_ID, 0},
	  {"holder", BATON_T_ID, 0},
	  {"holder_stack", BATON_T_ID, 0}},
	 SCHED_THREAD,
	 SCHED_THREAD},
	{BATON_GAUGE,
	 GAUGE_COLUMNS,
	 "gauge",
	 {{"start_ns", BATON_T_TIME, 1},
	  {"dur_ns", BATON_T_DURATION, 1},
	  {"device", BATON_T_ID, 1},
	  {"gauge", BATON_T_U8, 1},
	  {"value", BATON_T_U64, 1}},
	 GAUGE_DEVICE,
	 GAUGE_WHICH},
};

#define BATON_TABLES (sizeof(baton_tables) / sizeof(baton_tables[0]))

/* Columns of all tables together. */
enum {
	BATON_ALL_COLUMNS = (int)OP_COLUMNS + (int)CALL_COLUMNS + (int)RANGE_COLUMNS +
						(int)COLL_COLUMNS + (int)SYNC_COLUMNS + (int)OVERHEAD_COLUMNS +
						(int)SCHED_COLUMNS + (int)GAUGE_COLUMNS
};

/* The table of a block kind, NULL when this version defines none. */
static inline const struct baton_table *baton_table(unsigned kind)
{
	if (kind < BATON_OP || kind >= BATON_KINDS_END)
		return NULL;
	return &baton_tables[kind - BATON_OP];
}

#endif
