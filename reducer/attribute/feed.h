/* A feed: one process's trace as the analysis of one device reads it. It has the row cursors, the
 * meaning of names, and the launches so far by correlation id. It keeps the newest FEED_LAUNCHES
 * launches. */
#ifndef ATTRIBUTE_FEED_H
#define ATTRIBUTE_FEED_H

#include "attribute/corr_ring.h"
#include "attribute/kept_calls.h"
#include "classify/host_names.h"
#include "classify/class_cache.h"
#include "read/rows.h"
#include "steps/warmup.h"

enum { FEED_LAUNCHES = KEPT_NEAR, FEED_COLLECTIVES = 1 << 13, COLLS_SEEN = 1 << 10 };

struct launch { /* what is known about one correlation id, in one cache line */
	struct corr_head head;
	int64_t start; /* of the outermost call; FEED_NO_CALL when none was seen */
	int64_t end;
	uint32_t thread; /* index in the trace */
	uint32_t name;
	uint32_t n_ops;     /* its ops on the analysed device so far */
	uint32_t n_kernels; /* kernels among them */
	uint32_t owner;     /* see owners.h; 0 during the scan */
	bool any_op;        /* it has an op on some device */
	bool pageable;      /* one of its ops is a pageable copy */
	int64_t first_op_start;
};

#define FEED_NO_CALL INT64_MAX

struct coll_args { /* NCCL arguments, from the first row with a correlation id */
	uint32_t comm; /* index in the trace */
	uint32_t rows;
	uint8_t coll; /* enum baton_coll */
	bool has_sequence;
	uint64_t sequence;
	int64_t bytes; /* -1: not carried */
	int64_t out_bytes;
};

struct collective {
	struct corr_head head;
	struct coll_args args;
};

struct name_facts {    /* per string of the trace, filled when it is first met */
	uint16_t call;     /* HOST_MASKs */
	uint16_t range[8]; /* by category */
	bool classified;
	struct kernel_class kernel;
	int64_t first_launch_ns; /* of a kernel with this name in this process; INT64_MAX: none */
};

struct feed {
	uint32_t process; /* index in the run */
	uint32_t device;  /* the analysed device in this trace; 0: not there */
	struct trace trace;
	struct rows ops, calls, ranges, overheads, scheds, syncs, collectives;
	bool sampled; /* the trace has sched rows: what silent threads did */
	bool ops_left, calls_left, ranges_left, overheads_left, scheds_left, syncs_left,
		collectives_left;
	struct name_facts *names;
	struct strings said; /* names beyond the trace's: feed_say() */
	uint32_t *slots;     /* per stream of the trace: 1 + its number among the device's streams */
	struct corr_ring launches;
	struct corr_ring colls;
	/* which correlation ids, modulo the number of bits, `colls` has or had */
	uint64_t colls_seen[COLLS_SEEN];
	/* of the pass so far; only where attribution does not take the calls */
	struct long_loads long_loads;
	struct corr_store *store; /* not owned */
	const struct host_names *host_names;
	struct class_cache *classes;
	int64_t
		late_ns; /* how long after its op's start a launch may begin, learned from earlier passes */
	int64_t late_seen_ns;
	uint64_t newest_launch; /* of the ids that `launches` has had in this pass the largest */
	bool late_collective;   /* a row of NCCL may have come after its op in this pass */
	/* Not owned; NULL: calls are not kept. In this pass ops find their launches there, not in
	 * `launches`: */
	struct kept_calls *kept;
	bool dense;
	bool joined; /* ops, calls and NCCL's rows have been read for good: feed_rewind() leaves them */
	/* In the last pass: called for every call row; call->owner becomes the launch's owner. */
	int (*on_call)(void *context, struct feed *feed, struct feed_call *call);
	/* The same for kept calls: takes those from kept->next on that begin at or before `until`. */
	int (*on_kept)(void *context, struct feed *feed, int64_t until);
	void *context;
};

struct run_process;

struct feed_setup {
	const struct run_process *file;
	uint32_t process;       /* index in the run */
	const char *device_key; /* selects the analysed device */
	struct damage_log *log;
	const struct host_names *names;
	struct class_cache *classes;
	struct corr_store *store;
};

/* Opens the trace. 0 or -errno. */
int feed_open(struct feed *feed, const struct feed_setup *setup);
/* Begins another pass over the rows. 0 or -errno. */
int feed_rewind(struct feed *feed);
/* Keeps all calls, from the begin of a pass on, which then has none left. feed->dense: ops may be
 * joined to them; else the pass has to begin again. 0 or -errno. */
int feed_keep_calls(struct feed *feed);
void feed_close(struct feed *feed);

int feed_load_more(struct feed *feed, int64_t until);

/* Reads all calls and collectives that begin at or before `until`. 0 or -errno. */
static inline int feed_load_calls(struct feed *feed, int64_t until)
{
	bool more = (feed->collectives_left && rows_value(&feed->collectives, COLL_START) <= until) ||
				(feed->calls_left && rows_value(&feed->calls, CALL_START) <= until);
	if (more)
		return feed_load_more(feed, until);
	return feed->calls.error ? feed->calls.error : feed->collectives.error;
}

static inline struct launch *feed_launch(const struct feed *feed,
										 uint64_t correlation) /* or NULL */
{
	return correlation ? corr_ring_get(&feed->launches, correlation) : NULL;
}

/* A launch of which neither the call nor an op was seen yet. */
static inline struct launch *feed_new_launch(struct feed *feed, uint64_t correlation)
{
	struct launch *launch = corr_ring_put(&feed->launches, correlation);
	if (correlation > feed->newest_launch)
		feed->newest_launch = correlation;
	*launch = (struct launch){.head = launch->head, .start = FEED_NO_CALL};
	return launch;
}

const struct coll_args *feed_find_collective(const struct feed *feed, uint64_t correlation);

/* The NCCL arguments with this id, or NULL, which is what most ops get. */
static inline const struct coll_args *feed_collective(const struct feed *feed, uint64_t correlation)
{
	if (!(feed->colls_seen[correlation / 64 % COLLS_SEEN] >> correlation % 64 & 1))
		return NULL;
	return feed_find_collective(feed, correlation);
}

uint32_t feed_range_mask(struct feed *feed, uint32_t name, int category);

/* Look up what a name means, when it is first met. */
void feed_know_call(struct feed *feed, uint32_t name);
void feed_know_kernel(struct feed *feed, uint32_t name);

static inline uint32_t feed_call_mask(struct feed *feed, uint32_t name)
{
	if (!feed->names[name].call)
		feed_know_call(feed, name);
	return feed->names[name].call & ~(uint32_t)HOST_MASK(HOST_BIT_KNOWN);
}

static inline const struct kernel_class *feed_kernel(struct feed *feed, uint32_t name)
{
	if (!feed->names[name].classified)
		feed_know_kernel(feed, name);
	return &feed->names[name].kernel;
}

static inline const char *feed_text(const struct feed *feed, uint32_t name)
{
	const uint32_t n = feed->trace.strings.n;
	return name < n ? strings_get(&feed->trace.strings, name).at
					: strings_get(&feed->said, name - n).at;
}

/* A name that the trace does not have, for feed_text() alone: it has no facts. 0 or -ENOMEM. */
int feed_say(struct feed *feed, const char *text, size_t bytes, uint32_t *name);

/* The dense index that an id column of the current row stands for. The next two likewise. */
static inline uint32_t feed_string(const struct feed *feed, const struct rows *rows,
								   unsigned column)
{
	return idmap_get(&feed->trace.string_ids, (uint64_t)rows_value(rows, column));
}

static inline uint32_t feed_thread(const struct feed *feed, const struct rows *rows,
								   unsigned column)
{
	return idmap_get(&feed->trace.thread_ids, (uint64_t)rows_value(rows, column));
}

/* The stream of the current op row, as an index in the trace. feed_is_ours(): is it a stream of the
 * analysed device? */
static inline uint32_t feed_stream(const struct feed *feed, const struct rows *ops)
{
	return idmap_get(&feed->trace.stream_ids, (uint64_t)rows_value(ops, OP_STREAM));
}

static inline bool feed_is_ours(const struct feed *feed, uint32_t stream)
{
	return feed->device && stream && feed->trace.streams[stream].device == feed->device;
}

#endif
