/* The live half of a recording: one file per process in shared memory. The launch path writes to
 * it, and the process's writer thread drains it into the trace file. It outlives the process, so
 * what a killed process had recorded can be read from it (drain.h). It is never copied between
 * hosts, so its layout belongs to this build: `layout` must be equal.
 *
 * The file has this header; the lanes' headers; the dictionary, an append-only arena of trace
 * records (docs/FORMAT.md section 3) as they go into the trace; then rings of slots, one per lane.
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
#define BATON_LIVE_LAYOUT 8u
#define BATON_LIVE_LANES 512u
#define BATON_NO_STREAM UINT32_MAX

/* The type decides the meaning of a slot's other members. Names are ids of strings. The recorder
 * does not write frames yet; the drain knows them. */
enum baton_slot_type {
	/* name: the call; correlation: its op's, or 0; stack; aux: CUPTI's number of its context, or 0;
	 * of a call that failed what it returned */
	BATON_SLOT_CALL = 1,
	/* name; aux: enum baton_range_category; correlation: the domain's string; stack: 1 when the
	 * range never ended */
	BATON_SLOT_RANGE = 2,
	/* begin: bytes of the send buffer; end: sequence number and peer (baton_slot_order); name: comm; aux: enum baton_coll;
	 * stack: the data type's string; correlation: that of its op. Several with one correlation
	 * share one op */
	BATON_SLOT_COLLECTIVE = 3,
	/* aux: enum baton_overhead_kind; name */
	BATON_SLOT_OVERHEAD = 4,
	/* name: id of the thread; correlation: ns slept; stack: ns waited; aux and flags: id of its
	 * call stack (baton_slot_stack) */
	BATON_SLOT_SCHED = 5,
	/* a Python frame; correlation: id of the thread; name: the frame's string */
	BATON_SLOT_FRAME = 6,
	/* the run of a host function; name: CUPTI's number of the stream that it held up, or
	 * BATON_NO_STREAM; aux: that of its context; correlation: of the call that gave it */
	BATON_SLOT_HOST_FUNC = 7,
	/* event record or stream wait (flags: enum baton_sync_kind); name: CUPTI's number of the stream,
	 * or BATON_NO_STREAM; aux: that of its context; correlation; stack: low 32 bits of the event */
	BATON_SLOT_EVENT = 8,
	/* before the sched slot of the same begin: who had Python's lock. name: id of the thread; stack:
	 * id of its call stack */
	BATON_SLOT_HOLDER = 9,
	/* before the slot of the call with the same correlation. begin: bytes that it allocated; aux: enum
	 * baton_memory */
	BATON_SLOT_ALLOCATION = 10
};

enum baton_slot_flag {
	/* a kernel launch that succeeded: one op (or a graph's ops) will follow */
	BATON_SLOT_MAKES_OP = 1,
	BATON_SLOT_MAKES_GRAPH = 2, /* any number of ops with this correlation will follow */
	BATON_SLOT_FAILED = 4,      /* the call returned an error */
	BATON_SLOT_MAKES_COPY = 8   /* a copy or memset: one op will follow if it has bytes */
};

/* One record of fixed size. begin and end are ticks (baton_live.clock) unless the type gives them
 * another meaning. */
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

/* The id of the stack of a sched slot. The dictionary has no room for more than 2^24; a larger id
 * becomes 0. */
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

/* `end` of a collective's slot: its number, and in the upper bits 1 + the rank that it sends to or
 * receives from, 0: no such rank. */
#define BATON_SLOT_PEER_BITS 24
#define BATON_SLOT_NUMBER_BITS (64 - BATON_SLOT_PEER_BITS)

static inline uint64_t baton_slot_order(uint64_t number, uint32_t peer)
{
	uint64_t known = peer >> BATON_SLOT_PEER_BITS ? 0 : peer;
	return known << BATON_SLOT_NUMBER_BITS |
		   (number & (((uint64_t)1 << BATON_SLOT_NUMBER_BITS) - 1));
}

static inline uint64_t baton_slot_number(const struct baton_slot *slot)
{
	return slot->end & (((uint64_t)1 << BATON_SLOT_NUMBER_BITS) - 1);
}

static inline uint32_t baton_slot_peer(const struct baton_slot *slot)
{
	return (uint32_t)(slot->end >> BATON_SLOT_NUMBER_BITS);
}

struct baton_lane {
	_Alignas(64) _Atomic uint64_t head; /* slots stored so far; written by the producer only */
	/* slots dropped because the ring was full; written by the producer only */
	_Atomic uint64_t dropped_launches;
	_Atomic uint64_t dropped_others;    /* likewise: calls that launch nothing, ranges, ... */
	uint64_t producer[5];               /* the producer's own memory: shim/ring/lane.h */
	_Alignas(64) _Atomic uint64_t tail; /* slots in the trace file; written by the consumer only */
	/* offset of the ring in the file; 0: the lane has no ring yet. Set last */
	_Alignas(64) _Atomic uint64_t offset;
	uint64_t slots;          /* a power of two */
	_Atomic uint32_t thread; /* id of the thread record; 0: free */
	_Atomic uint32_t over;   /* the thread has ended: the lane is free once it is drained */
	_Atomic uint32_t tid;
	/* of the dropped others: graphs, copies and memsets, of which GPU records come; written by the
	 * producer only */
	_Atomic uint64_t dropped_work;
};
_Static_assert(sizeof(struct baton_lane) == 192, "lane");

/* Adds to a count of dropped slots. Only the producer may call it. */
static inline void baton_lane_lose(_Atomic uint64_t *count, uint64_t n)
{
	atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + n,
						  memory_order_relaxed);
}

static inline uint64_t baton_lane_dropped(const struct baton_lane *lane)
{
	return atomic_load(&lane->dropped_launches) + atomic_load(&lane->dropped_others);
}

/* Converts ticks to nanoseconds of CLOCK_REALTIME: ns + ((now - ticks) * mult >> 32), where `now`
 * are the ticks to convert. */
struct baton_clock_map {
	uint64_t ticks;
	int64_t ns;
	uint64_t mult;
};

struct baton_live {
	char magic[8];
	uint32_t layout;
	uint32_t header_bytes; /* size of this structure */
	uint64_t file_bytes;   /* size of the mapping; pages beyond `allocated` may not exist */
	uint64_t pid, start_time;
	uint32_t generation, uid;
	uint8_t boot_id[16];
	char trace[1024];           /* path of the trace file that it is drained into */
	_Atomic uint32_t clock_now; /* index of the valid clock: the other one may be half written */
	uint32_t host_tick_ns;      /* host times are multiples of 32 ns; 0: they are as they are */
	struct baton_clock_map clock[2];
	uint64_t lanes_offset;
	uint64_t dictionary_offset, dictionary_bytes;
	/* bytes reserved; baton_dictionary_next() finds what is written */
	_Atomic uint64_t dictionary_reserved;
	_Atomic uint64_t dictionary_drained; /* bytes that are in the trace file */
	_Atomic uint64_t dictionary_granted; /* bytes of the arena that may be touched */
	_Atomic uint64_t allocated;          /* bytes in use; the first ring exists before it counts */
	_Atomic uint64_t dropped_strings;    /* dictionary entries for which there was no room */
	_Atomic uint64_t unheard_launches;   /* launches of threads that got no lane */
	_Atomic uint32_t lanes_used;
	_Atomic uint32_t gpu_recorded; /* CUPTI delivers, so a launch without a kernel is in flight */
	_Atomic uint32_t closed;       /* the trace file has everything: nothing to salvage */
	/* Of GPU records: kernels of launches taken so far; records of all kinds that CUPTI or the
	 * writer dropped; those taken that are not in the trace file. Written by the consumer only */
	_Atomic uint64_t gpu_kernels, gpu_lost, gpu_unwritten;
	_Atomic uint32_t unwritable;  /* the last write of the trace file failed */
	_Atomic uint32_t losses_told; /* the trace file has them: only its end block is missing */
};

/* Flag in the size of a record of the dictionary: its room is reserved, but it is not written
 * yet. */
#define BATON_RECORD_UNFINISHED 1u

/* The record at *at, which then moves to the next one. NULL at the end and before an unfinished
 * record. `skip`: passes over unfinished records, because their process has ended and will not
 * finish them; those after them are good. A thread that stopped before it noted the size of its
 * room left zeros up to the next record. The code is in codec/live.c. */
struct baton_record *baton_dictionary_next(uint8_t *arena, uint64_t *at, uint64_t end, int skip);

/* CLOCK_REALTIME of `ticks`, in nanoseconds. What a damaged file makes of it stays so small that
 * the difference of two times is a duration (docs/FORMAT.md section 4.1). */
static inline int64_t baton_clock_ns(const struct baton_clock_map *map, uint64_t ticks)
{
	__extension__ __int128 d = (__int128)((int64_t)(ticks - map->ticks)) * (int64_t)map->mult;
	__extension__ __int128 ns = map->ns + (d >> 32);
	const int64_t most = BATON_TIME_LIMIT_NS / 2;
	return ns > most ? most : ns < -most ? -most : (int64_t)ns;
}

#endif
