/* Slots of the live file into rows of the trace: what the writer thread of a recording process
 * does, and the salvage after it. One thread. A collective's row needs its op's times: it waits
 * here for the op, by correlation id.
 *
 * The code is in codec/drain.c. */
#ifndef BATON_DRAIN_H
#define BATON_DRAIN_H

#include <baton/live.h>
#include <baton/writer.h>

#define BATON_DRAIN_WAITING 16384u /* collectives that wait for their op: a power of two */
/* NCCL ops that a late collective may still find: a power of two */
#define BATON_DRAIN_RECENT 4096u

struct baton_drain_collective {
	struct baton_slot slot;
	uint64_t serial; /* 0: free */
};

struct baton_drain_op {
	uint32_t correlation;
	int64_t start_ns, dur_ns;
};

struct baton_drain {
	struct baton_writer *writer;  /* not owned; errors stay in it */
	struct baton_clock_map clock; /* of the slots' ticks; set by the caller */
	uint64_t calls;               /* call slots */
	uint64_t launches;            /* slots that made one op */
	uint64_t kernels;             /* ops of such launches */
	uint64_t graphs;              /* slots that launched a graph */
	uint64_t copies;              /* slots of copies and memsets */
	uint64_t collectives;         /* slots; joined ones are rows */
	uint64_t joined;
	/* by correlation, open addressing, newest wins the room */
	struct baton_drain_collective *waiting;
	struct baton_drain_op *recent;
};

/* 0 or -ENOMEM; baton_drain_close() is due after either. The rows go to `writer`, which stays the
 * caller's. */
int baton_drain_open(struct baton_drain *d, struct baton_writer *writer);
void baton_drain_close(struct baton_drain *d);

/* One slot of a lane whose thread has the id `thread`. Types of a later version are passed over. */
void baton_drain_slot(struct baton_drain *d, uint32_t thread, const struct baton_slot *slot);
/* An NCCL op of the device has been written: the collectives that it carried follow. */
void baton_drain_op(struct baton_drain *d, uint32_t correlation, int64_t start_ns, int64_t dur_ns);

/* What a lane's ring had no room for and no loss record says yet: launches, other slots. */
struct baton_drain_lost {
	uint64_t launches, others;
};

/* `told`: all that were dropped and of them the launches, as far as they were told before; brought
 * up to date. The producer goes on meanwhile: neither count is taken from the other. */
struct baton_drain_lost baton_drain_lost(struct baton_drain *d, const struct baton_lane *lane,
										 uint64_t told[2]);

/* Tables whose rows come out of rings: what a salvage writes anew after the last checkpoint. */
int baton_drain_from_ring(unsigned kind);

/* The positions up to which the file holds the rings, as a record that closes a write: per lane the
 * tail, then what was dropped and of it the launches, as far as they are told. 0 or -errno. */
int baton_drain_checkpoint(struct baton_drain *d, uint64_t dictionary, const uint64_t (*lanes)[3],
						   uint32_t n);

#endif
