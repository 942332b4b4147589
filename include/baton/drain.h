/* Slots of the live file into rows of the trace: what the writer thread of a recording process
 * does, and the salvage after it. One thread. A collective's row needs its op's times: it waits
 * here for the op, by correlation id. */
#ifndef BATON_DRAIN_H
#define BATON_DRAIN_H

#include <baton/live.h>
#include <baton/writer.h>

#define BATON_DRAIN_WAITING 16384u /* collectives that wait for their op: a power of two */
#define BATON_DRAIN_RECENT \
	4096u /* NCCL ops that a late collective may still find: a power of two */

struct baton_drain_collective {
	struct baton_slot slot;
	uint64_t serial; /* 0: free */
};

struct baton_drain_op {
	uint32_t correlation;
	int64_t start_ns, dur_ns;
};

struct baton_drain {
	struct baton_writer *writer;
	struct baton_clock_map clock;
	uint64_t calls;       /* call slots */
	uint64_t launches;    /* slots that made one op */
	uint64_t kernels;     /* ops of such launches */
	uint64_t graphs;      /* slots that launched a graph */
	uint64_t copies;      /* slots of copies and memsets */
	uint64_t collectives; /* slots; joined ones are rows */
	uint64_t joined;
	struct baton_drain_collective
		*waiting; /* by correlation, open addressing, newest wins the room */
	struct baton_drain_op *recent;
};

static inline int baton_drain_open(struct baton_drain *d, struct baton_writer *writer)
{
	memset(d, 0, sizeof(*d));
	d->writer = writer;
	d->waiting = calloc(BATON_DRAIN_WAITING, sizeof(*d->waiting));
	d->recent = calloc(BATON_DRAIN_RECENT, sizeof(*d->recent));
	return d->waiting && d->recent ? 0 : -ENOMEM;
}

static inline void baton_drain_close(struct baton_drain *d)
{
	free(d->waiting);
	free(d->recent);
	memset(d, 0, sizeof(*d));
}

static inline void baton_drain_collective_row(struct baton_drain *d, const struct baton_slot *slot,
											  int64_t start_ns, int64_t dur_ns)
{
	int64_t row[BATON_MAX_COLUMNS] = {[COLL_START] = start_ns,
									  [COLL_DUR] = dur_ns,
									  [COLL_CORRELATION] = slot->correlation,
									  [COLL_COMM] = slot->name,
									  [COLL_KIND] = slot->aux,
									  [COLL_BYTES] = (int64_t)slot->begin,
									  [COLL_OUT_BYTES] = (int64_t)slot->begin,
									  [COLL_DTYPE] = slot->stack,
									  [COLL_SEQUENCE] = (int64_t)slot->end};
	uint32_t present = ((1u << COLL_COLUMNS) - 1) & ~(1u << COLL_OUT_BYTES);
	d->joined++;
	baton_writer_row(d->writer, BATON_COLLECTIVE, row, present);
}

static inline uint32_t baton_drain_hash(uint32_t correlation)
{
	return correlation * 2654435761u;
}

/* Several collectives may wait for one op: they stand side by side. */
static inline void baton_drain_wait(struct baton_drain *d, const struct baton_slot *slot)
{
	uint32_t mask = BATON_DRAIN_WAITING - 1, i = baton_drain_hash(slot->correlation) & mask;
	if (!slot->correlation) /* no kernel was launched for it: one rank alone, a copy engine, a graph
							 */
		return;
	for (uint32_t tries = 0; d->waiting[i].serial && tries < 64; tries++)
		i = (i + 1) & mask;
	d->waiting[i] = (struct baton_drain_collective){*slot, ++d->collectives};
}

static inline void baton_drain_collective(struct baton_drain *d, const struct baton_slot *slot)
{
	const struct baton_drain_op *op = &d->recent[slot->correlation & (BATON_DRAIN_RECENT - 1)];
	if (slot->correlation && op->correlation == slot->correlation) {
		d->collectives++;
		baton_drain_collective_row(d, slot, op->start_ns, op->dur_ns);
	} else {
		baton_drain_wait(d, slot);
	}
}

/* An NCCL op of the device has been written: the collectives that it carried follow. */
static inline void baton_drain_op(struct baton_drain *d, uint32_t correlation, int64_t start_ns,
								  int64_t dur_ns)
{
	uint32_t mask = BATON_DRAIN_WAITING - 1, i = baton_drain_hash(correlation) & mask;
	d->recent[correlation & (BATON_DRAIN_RECENT - 1)] =
		(struct baton_drain_op){correlation, start_ns, dur_ns};
	for (uint32_t tries = 0; tries < 64; tries++, i = (i + 1) & mask) {
		if (!d->waiting[i].serial || d->waiting[i].slot.correlation != correlation)
			continue;
		baton_drain_collective_row(d, &d->waiting[i].slot, start_ns, dur_ns);
		d->waiting[i].serial = 0;
	}
}

static inline void baton_drain_row(struct baton_drain *d, enum baton_kind kind,
								   const struct baton_slot *slot, int64_t *row, uint32_t present)
{
	int64_t end = baton_clock_ns(&d->clock, slot->end);
	row[ROW_START] = baton_clock_ns(&d->clock, slot->begin);
	row[ROW_DUR] = end > row[ROW_START] ? end - row[ROW_START] : 0;
	baton_writer_row(d->writer, kind, row, present);
}

static inline void baton_drain_call(struct baton_drain *d, uint32_t thread,
									const struct baton_slot *slot)
{
	int64_t row[BATON_MAX_COLUMNS] = {[CALL_THREAD] = thread,
									  [CALL_NAME] = slot->name,
									  [CALL_CORRELATION] = slot->correlation,
									  [CALL_STACK] = slot->stack};
	d->calls++;
	d->launches += (slot->flags & BATON_SLOT_MAKES_OP) != 0;
	d->graphs += (slot->flags & BATON_SLOT_MAKES_GRAPH) != 0;
	d->copies += (slot->flags & BATON_SLOT_MAKES_COPY) != 0;
	baton_drain_row(d, BATON_CALL, slot, row,
					((1u << CALL_STACK) - 1) | (slot->stack ? 1u << CALL_STACK : 0));
}

static inline void baton_drain_range(struct baton_drain *d, uint32_t thread,
									 const struct baton_slot *slot)
{
	int64_t row[BATON_MAX_COLUMNS] = {[RANGE_THREAD] = thread,
									  [RANGE_NAME] = slot->name,
									  [RANGE_CATEGORY] = slot->aux,
									  [RANGE_DOMAIN] = slot->correlation,
									  [RANGE_UNCLOSED] = slot->stack};
	baton_drain_row(d, BATON_RANGE, slot, row, (1u << RANGE_COLUMNS) - 1);
}

static inline void baton_drain_frame(struct baton_drain *d, const struct baton_slot *slot)
{
	int64_t row[BATON_MAX_COLUMNS] = {[RANGE_THREAD] = slot->correlation,
									  [RANGE_NAME] = slot->name,
									  [RANGE_CATEGORY] = BATON_RANGE_PYTHON};
	baton_drain_row(d, BATON_RANGE, slot, row, (1u << (RANGE_CATEGORY + 1)) - 1);
}

static inline void baton_drain_overhead(struct baton_drain *d, uint32_t thread,
										const struct baton_slot *slot)
{
	int64_t row[BATON_MAX_COLUMNS] = {
		[OVERHEAD_THREAD] = thread, [OVERHEAD_KIND] = slot->aux, [OVERHEAD_NAME] = slot->name};
	baton_drain_row(d, BATON_OVERHEAD, slot, row, (1u << OVERHEAD_COLUMNS) - 1);
}

/* Slept and waited were measured on another clock: they never add up to more than the row. */
static inline void baton_drain_sched(struct baton_drain *d, const struct baton_slot *slot)
{
	int64_t dur = baton_clock_ns(&d->clock, slot->end) - baton_clock_ns(&d->clock, slot->begin);
	int64_t slept = slot->correlation < dur ? slot->correlation : dur;
	int64_t waited = slot->stack < dur - slept ? slot->stack : dur - slept;
	int64_t row[BATON_MAX_COLUMNS] = {[SCHED_THREAD] = slot->name,
									  [SCHED_SLEPT] = slept,
									  [SCHED_WAITED] = waited,
									  [SCHED_STACK] = baton_slot_stack(slot)};
	if (dur > 0)
		baton_drain_row(d, BATON_SCHED, slot, row,
						((1u << SCHED_STACK) - 1) | (row[SCHED_STACK] ? 1u << SCHED_STACK : 0));
}

static inline void baton_drain_sync(struct baton_drain *d, const struct baton_slot *slot)
{
	int64_t row[BATON_MAX_COLUMNS] = {
		[SYNC_KIND] = slot->type == BATON_SLOT_HOST_FUNC ? BATON_SYNC_HOST_FUNC : slot->aux,
		[SYNC_STREAM] = slot->name,
		[SYNC_CORRELATION] = slot->correlation,
		[SYNC_EVENT] = slot->stack};
	baton_drain_row(d, BATON_SYNC, slot, row, (1u << (SYNC_EVENT + 1)) - 1);
}

/* Types of a later version are passed over. */
static inline void baton_drain_slot(struct baton_drain *d, uint32_t thread,
									const struct baton_slot *slot)
{
	switch (slot->type) {
	case BATON_SLOT_CALL:
		baton_drain_call(d, thread, slot);
		break;
	case BATON_SLOT_RANGE:
		baton_drain_range(d, thread, slot);
		break;
	case BATON_SLOT_COLLECTIVE:
		baton_drain_collective(d, slot);
		break;
	case BATON_SLOT_OVERHEAD:
		baton_drain_overhead(d, thread, slot);
		break;
	case BATON_SLOT_SCHED:
		baton_drain_sched(d, slot);
		break;
	case BATON_SLOT_FRAME:
		baton_drain_frame(d, slot);
		break;
	case BATON_SLOT_HOST_FUNC:
	case BATON_SLOT_EVENT:
		baton_drain_sync(d, slot);
		break;
	default:
		break;
	}
}

/* What a lane's ring had no room for and no loss record says yet: launches, other slots. */
struct baton_drain_lost {
	uint64_t launches, others;
};

/* `told`: all that were dropped and of them the launches, as far as they were told before; brought
 * up to date. The producer goes on meanwhile: neither count is taken from the other. */
static inline struct baton_drain_lost baton_drain_lost(struct baton_drain *d,
													   const struct baton_lane *lane,
													   uint64_t told[2])
{
	uint64_t launches = atomic_load(&lane->dropped_launches);
	uint64_t others = atomic_load(&lane->dropped_others);
	struct baton_drain_lost lost = {.launches = launches - told[1],
									.others = others - (told[0] - told[1])};
	told[0] = launches + others;
	told[1] = launches;
	d->launches += lost.launches;
	return lost;
}

/* Tables whose rows come out of rings: what a salvage writes anew after the last checkpoint. */
static inline int baton_drain_from_ring(unsigned kind)
{
	return kind == BATON_CALL || kind == BATON_RANGE || kind == BATON_OVERHEAD ||
		   kind == BATON_SCHED || kind == BATON_SYNC;
}

/* The positions up to which the file holds the rings, as a record that closes a write: per lane the
 * tail, then what was dropped and of it the launches, as far as they are told. */
static inline int baton_drain_checkpoint(struct baton_drain *d, uint64_t dictionary,
										 const uint64_t (*lanes)[3], uint32_t n)
{
	struct baton_r_checkpoint row = {
		.lanes = n, .dictionary = dictionary, .launches = d->launches, .kernels = d->kernels};
	return baton_writer_record(d->writer, BATON_R_CHECKPOINT, &row, sizeof(row), lanes,
							   n * sizeof(*lanes));
}

#endif
