/* The live half of a recording: one file per process in shared memory that the launch path writes
 * to and the process's writer thread drains into the trace file. It outlives the process: what a
 * killed process had recorded is read from it (drain.h). Never copied between hosts, so the layout
 * is that of this build: `layout` must be equal.
 *
 * The file: this header; the lanes' headers; the dictionary, an append-only arena of trace records
 * (docs/FORMAT.md section 3) as they go into the trace; then rings of slots, one per lane.
 * A lane has one producer (a thread of the job) and one consumer (the writer thread, or later the
 * salvage). The producer stores slots, then `head` with release; the consumer loads `head` with
 * acquire and stores `tail` with release once the slots are in the trace file. */
#ifndef BATON_LIVE_H
#define BATON_LIVE_H

#include <baton/format.h>
#include <stdatomic.h>

#define BATON_LIVE_MAGIC \
	"\x89"               \
	"BTL\r\n\x1a\n"
#define BATON_LIVE_LAYOUT 3u
#define BATON_LIVE_LANES 512u

/* What the other members of a slot mean. Names are strings' ids. The recorder does not write the
 * last three yet; the drain knows them. */
enum baton_slot_type {
	/* name: the call; correlation: of its op or 0; stack */
	BATON_SLOT_CALL = 1,
	/* name; aux: enum baton_range_category; correlation: the domain's string; stack: 1 when it
	 * never ended */
	BATON_SLOT_RANGE = 2,
	/* begin: bytes of the send buffer; end: sequence number; name: comm; aux: enum baton_coll;
	 * stack: the data type's string; correlation: of the op that carries it. Several with one
	 * correlation are one op */
	BATON_SLOT_COLLECTIVE = 3,
	/* aux: enum baton_overhead_kind; name */
	BATON_SLOT_OVERHEAD = 4,
	/* of thread `name` (id): correlation: slept, stack: waited, both ns; aux and flags: its
	 * stack's id (baton_slot_stack) */
	BATON_SLOT_SCHED = 5,
	/* a Python frame of thread `correlation` (id), name: the frame's string */
	BATON_SLOT_FRAME = 6,
	/* the run of a host function; name: stream id that it held up */
	BATON_SLOT_HOST_FUNC = 7,
	/* event record or stream wait (aux: enum baton_sync_kind); name: stream; stack: low 32 bits
	 * of the event */
	BATON_SLOT_EVENT = 8
};

enum baton_slot_flag {
	BATON_SLOT_MAKES_OP = 1,    /* a kernel launch that succeeded: one op (or a graph's) is due */
	BATON_SLOT_MAKES_GRAPH = 2, /* any number of ops with this correlation */
	BATON_SLOT_FAILED = 4,      /* the call returned an error */
	BATON_SLOT_MAKES_COPY = 8   /* a copy or memset: one op, if it has bytes */
};

/* One fixed record. begin and end are ticks (live header: clock) unless the type says otherwise. */
struct baton_slot {
	uint64_t begin;
	uint64_t end;
	uint32_t name;
	uint16_t aux;
	uint8_t type;
	uint8_t flags;
	uint32_t correlation;
	uint32_t stack;
};
_Static_assert(sizeof(struct baton_slot) == 32, "slot");

/* The stack of a sched slot; the dictionary has no room for more than 2^24. */
static inline void baton_slot_set_stack(struct baton_slot *slot, uint32_t id)
{
	slot->aux = (uint16_t)id;
	slot->flags = id >> 24 ? 0 : (uint8_t)(id >> 16);
	if (id >> 24)
		slot->aux = 0;
}

static inline uint32_t baton_slot_stack(const struct baton_slot *slot)
{
	return (uint32_t)slot->flags << 16 | slot->aux;
}

struct baton_lane {
	_Alignas(64) _Atomic uint64_t head; /* slots ever stored; producer only */
	_Atomic uint64_t dropped_launches;  /* slots that found the ring full; producer only */
	_Atomic uint64_t dropped_others;    /* the same: calls that launch nothing, ranges, ... */
	uint64_t producer[5];               /* the producer's own memory: shim/ring/lane.h */
	_Alignas(64) _Atomic uint64_t tail; /* slots in the trace file; consumer only */
	/* of the ring in the file; 0: the lane has none yet. Set last */
	_Alignas(64) _Atomic uint64_t offset;
	uint64_t slots;          /* a power of two */
	_Atomic uint32_t thread; /* id of the thread record; 0: free */
	_Atomic uint32_t over;   /* the thread has ended: free once drained */
	_Atomic uint32_t tid;
};
_Static_assert(sizeof(struct baton_lane) == 192, "lane");

/* The producer alone calls it. */
static inline void baton_lane_lose(_Atomic uint64_t *count, uint64_t n)
{
	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + n,
						  memory_order_relaxed);
}

static inline uint64_t baton_lane_dropped(const struct baton_lane *lane)
{
	return atomic_load(&lane->dropped_launches) + atomic_load(&lane->dropped_others);
}

/* Ticks to nanoseconds of CLOCK_REALTIME: ns + ((ticks' - ticks) * mult >> 32). */
struct baton_clock_map {
	uint64_t ticks;
	int64_t ns;
	uint64_t mult;
};

struct baton_live {
	char magic[8];
	uint32_t layout;
	uint32_t header_bytes; /* of this structure */
	uint64_t file_bytes;   /* the mapping; pages beyond `allocated` may not exist */
	uint64_t pid, start_time;
	uint32_t generation, uid;
	uint8_t boot_id[16];
	char trace[1024];           /* path of the trace file that it drains into */
	_Atomic uint32_t clock_now; /* which clock is whole: the other may be half written */
	uint32_t zero;
	struct baton_clock_map clock[2];
	uint64_t lanes_offset;
	uint64_t dictionary_offset, dictionary_bytes;
	/* bytes handed out; baton_dictionary_next() knows what is there */
	_Atomic uint64_t dictionary_reserved;
	_Atomic uint64_t dictionary_drained; /* bytes that are in the trace file */
	_Atomic uint64_t dictionary_granted; /* bytes of the arena that may be touched */
	_Atomic uint64_t allocated;          /* bytes in use; the first ring is there before */
	_Atomic uint64_t dropped_strings;    /* dictionary entries that found no room */
	_Atomic uint64_t unheard_launches;   /* of threads that got no lane */
	_Atomic uint32_t lanes_used;
	_Atomic uint32_t gpu_recorded; /* CUPTI delivers: a launch without a kernel is in flight */
	_Atomic uint32_t closed;       /* everything is in the trace file: nothing to salvage */
};

/* In the size of a record of the dictionary: its room is taken, it is not written yet. */
#define BATON_RECORD_UNFINISHED 1u

/* The record at *at, which then moves to the one after it; NULL at the end and before one that is
 * unfinished. `skip`: nobody will finish those any more, the ones after them are good. A thread
 * that stopped even before it could note the size of its room has written nothing there: zeros up
 * to the next. The code is in codec/live.c. */
struct baton_record *baton_dictionary_next(uint8_t *arena, uint64_t *at, uint64_t end, int skip);

/* CLOCK_REALTIME of `ticks`, in nanoseconds. */
static inline int64_t baton_clock_ns(const struct baton_clock_map *map, uint64_t ticks)
{
	__extension__ __int128 d = (__int128)((int64_t)(ticks - map->ticks)) * (int64_t)map->mult;
	return map->ns + (int64_t)(d >> 32);
}

#endif
