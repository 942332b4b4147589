/* Turns slots of the live file into rows of the trace, for the writer thread of a recording process
 * and for the salvage. One thread. A collective's row needs the times of its op, so its slot waits
 * here for the op, by correlation id. The code is in codec/drain.c. */
#ifndef BATON_DRAIN_H
#define BATON_DRAIN_H

#include <baton/live.h>
#include <baton/writer.h>

#define BATON_DRAIN_WAITING 16384u /* collectives that wait for their op; a power of two */
/* NCCL ops that a late collective can still find; a power of two */
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
	struct baton_writer *writer;  /* not owned; it keeps its errors */
	struct baton_clock_map clock; /* converts the slots' ticks; set by the caller */
	/* the slots' times are rounded down to multiples of this; 0: they stay as they are; set by the
	 * caller */
	uint32_t host_tick_ns;
	uint64_t calls;       /* call slots */
	uint64_t launches;    /* slots that launched a kernel, dropped ones included */
	uint64_t kernels;     /* kernels of those launches */
	uint64_t graphs;      /* slots that launched a graph */
	uint64_t copies;      /* slots of copies and memsets */
	uint64_t collectives; /* slots of collectives */
	uint64_t joined;
	/* The ids of a stream and of a context's device by CUPTI's numbers, 0 when they are not known,
	 * or the process has one device. NULL: none has an id. Set by the caller */
	uint32_t (*stream_id)(void *places, uint32_t context, uint32_t stream);
	uint32_t (*device_id)(void *places, uint32_t context);
	void *places;                 /* their first argument */
	struct baton_slot holder;     /* for the sched slot that follows; type 0: none */
	struct baton_slot allocation; /* for the call slot of its correlation; type 0: none */
	/* by correlation, open addressing; the newest replaces what is in its way */
	struct baton_drain_collective *waiting;
	struct baton_drain_op *recent;
};

/* The rows go to `writer`, which the caller keeps. 0 or -ENOMEM; call baton_drain_close() in either
 * case. */
int baton_drain_open(struct baton_drain *d, struct baton_writer *writer);
void baton_drain_close(struct baton_drain *d);

/* Takes one slot of a lane whose thread has the id `thread`. Slots with types of a later version
 * are ignored. */
void baton_drain_slot(struct baton_drain *d, uint32_t thread, const struct baton_slot *slot);
/* Call after an NCCL op of the device was written: writes the collectives that belong to it. */
void baton_drain_op(struct baton_drain *d, uint32_t correlation, int64_t start_ns, int64_t dur_ns);

/* The slots that a lane dropped and that no loss record counts yet: launches, and others. */
struct baton_drain_lost {
	uint64_t launches, others;
};

/* `told`: the numbers of all dropped slots, and of dropped launches, that were reported before;
 * this brings them up to date. The producer keeps counting meanwhile, so neither number is derived
 * from the other. */
struct baton_drain_lost baton_drain_lost(struct baton_drain *d, const struct baton_lane *lane,
										 uint64_t told[2]);

/* Do the rows of this table come from rings? A salvage writes such rows anew after the last
 * checkpoint. */
int baton_drain_from_ring(unsigned kind);

/* Writes a checkpoint record, which closes a write: the positions up to which the file holds the
 * rings. `lanes`: for each lane its tail, its dropped slots and dropped launches as far as they
 * were reported. 0 or -errno. */
int baton_drain_checkpoint(struct baton_drain *d, uint64_t dictionary, const uint64_t (*lanes)[3],
						   uint32_t n);

#endif
