/* One open trace file: its blocks, its dictionaries, its identity. Ids of the file become dense
 * indexes from 1 (0: none or undefined), so that later stages can use arrays. One thread at a
 * time. */
#ifndef READ_TRACE_H
#define READ_TRACE_H

#include "base/strings.h"
#include "read/damage.h"
#include "read/process.h"

#include <baton/reader.h>

struct idmap { /* u32 id -> dense index; small ids in a vector, large ones in a hash */
	uint32_t *dense;
	size_t n_dense;
	struct idmap_large *large;
	size_t n_large;
	struct table large_ids;
};

struct trace_thread {
	int64_t pid;
	int64_t tid;
	uint32_t name;
	uint32_t id; /* in the file */
};

struct trace_device {
	int32_t ordinal;
	uint32_t name;
	uint32_t uuid;
	uint64_t memory_bytes; /* 0: not known, like sm_count */
	uint32_t sm_count;
};

struct trace_stream {
	uint32_t device; /* index into devices */
	int64_t context;
	int64_t stream;
	int32_t priority;
	uint8_t kind; /* enum baton_stream_kind */
	bool has_priority;
};

struct trace_comm {
	uint32_t size;
	uint64_t hash;
	uint32_t name;
	uint32_t ranks;
};

struct trace_shape { /* of launches; BATON_SHAPE_UNKNOWN as in the record */
	uint32_t grid[3], block[3], cluster[3];
	uint32_t registers, static_shared, dynamic_shared;
};

struct trace_inputs { /* of an operator; strings */
	uint32_t shapes, types;
};

struct trace_place { /* strings */
	uint32_t key, value;
};

struct dated_loss { /* a loss, or what the recorder cost */
	int64_t at_ns;  /* the newest time in the file before it; INT64_MIN: none */
	uint32_t kind;  /* enum baton_loss_kind; 0: it is a cost, in ns */
	uint64_t count;
};

struct trace_losses {
	uint64_t by_kind[5]; /* enum baton_loss_kind */
	uint64_t cost_ns;
	bool cost_known;
	int64_t gpu_shift_ns; /* what the import added to the GPU's times */
};

struct trace {
	const char *path; /* not owned */
	struct baton_reader reader;
	struct strings strings; /* index 0: empty */
	struct idmap string_ids, thread_ids, device_ids, stream_ids, comm_ids, shape_ids, input_ids;
	struct trace_thread *threads; /* [0]: zeros, for ids that are not defined; likewise below */
	struct trace_device *devices;
	struct trace_stream *streams;
	struct trace_comm *comms;
	struct trace_shape *shapes;
	struct trace_inputs *inputs;
	uint32_t n_threads, n_devices, n_streams, n_comms, n_shapes, n_inputs;
	bool has_process;
	bool tells_utc;                 /* a clock record says that its times are UTC */
	bool limited;                   /* its recorder did without something */
	bool tells_lock;                /* sched rows say who waited for Python's lock */
	struct baton_r_process process; /* its string fields are indexes */
	struct trace_place *places;     /* meta records that say where things sit */
	size_t n_places;
	struct trace_losses losses;
	struct dated_loss *dated; /* the same one by one, in the order of the file */
	size_t n_dated;
	int64_t newest_ns;               /* of the rows before the records that are being read */
	struct baton_r_kept kept_record; /* all 0: there is none */
	struct kept_part kept;
	bool since;      /* trace_keep_since() left rows out */
	uint64_t damage; /* damaged places found so far */
	uint64_t blocks_read;
	struct damage_log *log; /* not owned; NULL: silent */
};

/* Opens a trace or a file of gauges (trace_is_gauges()), indexes its blocks and reads all records.
 * `log`: where damage is reported, or NULL. 0; -EBADMSG: not readable as a trace; or another
 * -errno. */
int trace_open(struct trace *trace, const char *path, struct damage_log *log);
/* The same of an open file whose name is `path`: another one may have that name by now. */
int trace_open_held(struct trace *trace, const char *path, int fd, struct damage_log *log);
void trace_close(struct trace *trace);
/* Forgets the blocks whose rows all end before `since_ns`, before any row is read. What is defined
 * in records stays. */
void trace_keep_since(struct trace *trace, int64_t since_ns);

uint32_t idmap_get_large(const struct idmap *map, uint64_t id);
static inline uint32_t idmap_get(const struct idmap *map, uint64_t id)
{
	return id < map->n_dense ? map->dense[id] : idmap_get_large(map, id);
}
/* Adds id -> index; an id that is there already keeps its index. 0 or -ENOMEM. */
int idmap_add(struct idmap *map, uint32_t id, uint32_t index);
void idmap_free(struct idmap *map);

/* The value (a string) of a meta record about a place: of device `id` of the file, or with 0 of its
 * process. 0: there is none. */
uint32_t trace_place(const struct trace *trace, const char *key, uint32_t id);
/* callers[t]: the thread for which thread t runs backward passes, 0: none; of trace->n_threads. */
void trace_callers(const struct trace *trace, uint32_t *callers);

/* Adds one string record, already validated. 0 or -ENOMEM. */
int trace_add_string(struct trace *trace, const struct baton_record *record);

/* Notes damage at entry i, once. */
void trace_damaged(struct trace *trace, size_t entry, enum baton_damage damage);

/* Is it a file with readings of a node's GPUs, which belongs to no process of the run? */
static inline bool trace_is_gauges(const struct trace *trace)
{
	return trace->reader.header.content == BATON_GAUGES;
}

/* Was it recorded by baton or its simulator, not imported from another tool? */
bool trace_is_recorded(const struct trace *trace);
/* The losses and costs that were noted in [from_ns, to_ns). */
void trace_losses_within(const struct trace *trace, int64_t from_ns, int64_t to_ns,
						 struct trace_losses *losses);
/* Is the begin of the recording left out of the file, or of what is read of it? */
static inline bool trace_is_shortened(const struct trace *trace)
{
	return trace->kept.before_ns > 0 || trace->since;
}

#endif
