/* Turns slots of the live file into rows of the trace, with one function for each type of slot. */
#include <baton/drain.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int baton_drain_open(struct baton_drain *d, struct baton_writer *writer)
{
	memset(d, 0, sizeof(*d));
	d->writer = writer;
	d->waiting = calloc(BATON_DRAIN_WAITING, sizeof(*d->waiting));
	d->recent = calloc(BATON_DRAIN_RECENT, sizeof(*d->recent));
	return d->waiting && d->recent ? 0 : -ENOMEM;
}

void baton_drain_close(struct baton_drain *d)
{
	free(d->waiting);
	free(d->recent);
	memset(d, 0, sizeof(*d));
}

static void drain_collective_row(struct baton_drain *d, const struct baton_slot *slot,
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
									  [COLL_SEQUENCE] = (int64_t)baton_slot_number(slot),
									  [COLL_PEER] = baton_slot_peer(slot)};
	uint32_t present = ((1u << COLL_PEER) - 1) & ~(1u << COLL_OUT_BYTES);
	if (row[COLL_PEER])
		present |= 1u << COLL_PEER;
	d->joined++;
	baton_writer_row(d->writer, BATON_COLLECTIVE, row, present);
}

static uint32_t drain_hash(uint32_t correlation)
{
	return correlation * 2654435761u;
}

/* Several collectives may wait for one op: they stand side by side. */
static void drain_wait(struct baton_drain *d, const struct baton_slot *slot)
{
	uint32_t mask = BATON_DRAIN_WAITING - 1, i = drain_hash(slot->correlation) & mask;
	/* no kernel was launched for it: one rank alone, a copy engine, a graph */
	if (!slot->correlation)
		return;
	for (uint32_t tries = 0; d->waiting[i].serial && tries < 64; tries++)
		i = (i + 1) & mask;
	d->waiting[i] = (struct baton_drain_collective){*slot, ++d->collectives};
}

static void drain_collective(struct baton_drain *d, const struct baton_slot *slot)
{
	const struct baton_drain_op *op = &d->recent[slot->correlation & (BATON_DRAIN_RECENT - 1)];
	if (slot->correlation && op->correlation == slot->correlation) {
		d->collectives++;
		drain_collective_row(d, slot, op->start_ns, op->dur_ns);
	} else {
		drain_wait(d, slot);
	}
}

void baton_drain_op(struct baton_drain *d, uint32_t correlation, int64_t start_ns, int64_t dur_ns)
{
	uint32_t mask = BATON_DRAIN_WAITING - 1, i = drain_hash(correlation) & mask;
	d->recent[correlation & (BATON_DRAIN_RECENT - 1)] =
		(struct baton_drain_op){correlation, start_ns, dur_ns};
	for (uint32_t tries = 0; tries < 64; tries++, i = (i + 1) & mask) {
		if (!d->waiting[i].serial || d->waiting[i].slot.correlation != correlation)
			continue;
		drain_collective_row(d, &d->waiting[i].slot, start_ns, dur_ns);
		d->waiting[i].serial = 0;
	}
}

static int64_t drain_ns(const struct baton_drain *d, uint64_t ticks)
{
	const int64_t ns = baton_clock_ns(&d->clock, ticks);
	return d->host_tick_ns ? ns - ns % d->host_tick_ns : ns; /* of CLOCK_REALTIME: positive */
}

static void drain_row(struct baton_drain *d, enum baton_kind kind, const struct baton_slot *slot,
					  int64_t *row, uint32_t present)
{
	int64_t end = drain_ns(d, slot->end);
	row[ROW_START] = drain_ns(d, slot->begin);
	row[ROW_DUR] = end > row[ROW_START] ? end - row[ROW_START] : 0;
	baton_writer_row(d->writer, kind, row, present);
}

static uint32_t drain_device(const struct baton_drain *d, uint32_t context)
{
	return d->device_id && context ? d->device_id(d->places, context) : 0;
}

static void drain_call(struct baton_drain *d, uint32_t thread, const struct baton_slot *slot)
{
	const bool failed = slot->flags & BATON_SLOT_FAILED;
	int64_t row[BATON_MAX_COLUMNS] = {[CALL_THREAD] = thread,
									  [CALL_NAME] = slot->name,
									  [CALL_CORRELATION] = slot->correlation,
									  [CALL_STACK] = slot->stack,
									  [CALL_DEVICE] = failed ? 0 : drain_device(d, slot->aux),
									  [CALL_RESULT] = failed ? slot->aux : 0};
	uint32_t present = (1u << CALL_STACK) - 1;
	present |= slot->stack ? 1u << CALL_STACK : 0;
	present |= row[CALL_DEVICE] ? 1u << CALL_DEVICE : 0;
	present |= 1u << CALL_RESULT;
	if (d->allocation.type && d->allocation.correlation == slot->correlation) {
		d->allocation.type = 0;
		row[CALL_BYTES] = (int64_t)d->allocation.begin;
		row[CALL_MEMORY] = d->allocation.aux;
		present |= 1u << CALL_BYTES | 1u << CALL_MEMORY;
	}
	d->calls++;
	d->launches += (slot->flags & BATON_SLOT_MAKES_OP) != 0;
	d->graphs += (slot->flags & BATON_SLOT_MAKES_GRAPH) != 0;
	d->copies += (slot->flags & BATON_SLOT_MAKES_COPY) != 0;
	drain_row(d, BATON_CALL, slot, row, present);
}

static void drain_range(struct baton_drain *d, uint32_t thread, const struct baton_slot *slot)
{
	int64_t row[BATON_MAX_COLUMNS] = {[RANGE_THREAD] = thread,
									  [RANGE_NAME] = slot->name,
									  [RANGE_CATEGORY] = slot->aux,
									  [RANGE_DOMAIN] = slot->correlation,
									  [RANGE_UNCLOSED] = slot->stack};
	drain_row(d, BATON_RANGE, slot, row, (1u << RANGE_COLUMNS) - 1);
}

static void drain_frame(struct baton_drain *d, const struct baton_slot *slot)
{
	int64_t row[BATON_MAX_COLUMNS] = {[RANGE_THREAD] = slot->correlation,
									  [RANGE_NAME] = slot->name,
									  [RANGE_CATEGORY] = BATON_RANGE_PYTHON};
	drain_row(d, BATON_RANGE, slot, row, (1u << (RANGE_CATEGORY + 1)) - 1);
}

static void drain_overhead(struct baton_drain *d, uint32_t thread, const struct baton_slot *slot)
{
	int64_t row[BATON_MAX_COLUMNS] = {
		[OVERHEAD_THREAD] = thread, [OVERHEAD_KIND] = slot->aux, [OVERHEAD_NAME] = slot->name};
	drain_row(d, BATON_OVERHEAD, slot, row, (1u << OVERHEAD_COLUMNS) - 1);
}

/* Slept and waited were measured on another clock: they never add up to more than the row. */
static void drain_sched(struct baton_drain *d, const struct baton_slot *slot)
{
	int64_t dur = drain_ns(d, slot->end) - drain_ns(d, slot->begin);
	int64_t slept = slot->correlation < dur ? slot->correlation : dur;
	int64_t waited = slot->stack < dur - slept ? slot->stack : dur - slept;
	int64_t row[BATON_MAX_COLUMNS] = {[SCHED_THREAD] = slot->name,
									  [SCHED_SLEPT] = slept,
									  [SCHED_WAITED] = waited,
									  [SCHED_STACK] = baton_slot_stack(slot)};
	uint32_t present = ((1u << SCHED_STACK) - 1) | (row[SCHED_STACK] ? 1u << SCHED_STACK : 0);
	if (d->holder.type && d->holder.begin == slot->begin) {
		row[SCHED_HOLDER] = d->holder.name;
		row[SCHED_HOLDER_STACK] = d->holder.stack;
		present |= 1u << SCHED_HOLDER | (d->holder.stack ? 1u << SCHED_HOLDER_STACK : 0);
	}
	d->holder.type = 0;
	if (dur > 0)
		drain_row(d, BATON_SCHED, slot, row, present);
}

static uint32_t drain_stream(const struct baton_drain *d, const struct baton_slot *slot)
{
	const bool known = d->stream_id && slot->name != BATON_NO_STREAM;
	return known ? d->stream_id(d->places, slot->aux, slot->name) : 0;
}

static void drain_host_func(struct baton_drain *d, const struct baton_slot *slot)
{
	int64_t row[BATON_MAX_COLUMNS] = {[SYNC_KIND] = BATON_SYNC_HOST_FUNC,
									  [SYNC_STREAM] = drain_stream(d, slot),
									  [SYNC_CORRELATION] = slot->correlation};
	drain_row(d, BATON_SYNC, slot, row, (1u << (SYNC_CORRELATION + 1)) - 1);
}

static void drain_event(struct baton_drain *d, const struct baton_slot *slot)
{
	int64_t row[BATON_MAX_COLUMNS] = {[SYNC_KIND] = slot->flags,
									  [SYNC_STREAM] = drain_stream(d, slot),
									  [SYNC_CORRELATION] = slot->correlation,
									  [SYNC_EVENT] = slot->stack};
	drain_row(d, BATON_SYNC, slot, row, (1u << (SYNC_EVENT + 1)) - 1);
}

void baton_drain_slot(struct baton_drain *d, uint32_t thread, const struct baton_slot *slot)
{
	switch (slot->type) {
	case BATON_SLOT_CALL:
		drain_call(d, thread, slot);
		break;
	case BATON_SLOT_RANGE:
		drain_range(d, thread, slot);
		break;
	case BATON_SLOT_COLLECTIVE:
		drain_collective(d, slot);
		break;
	case BATON_SLOT_OVERHEAD:
		drain_overhead(d, thread, slot);
		break;
	case BATON_SLOT_SCHED:
		drain_sched(d, slot);
		break;
	case BATON_SLOT_FRAME:
		drain_frame(d, slot);
		break;
	case BATON_SLOT_HOST_FUNC:
		drain_host_func(d, slot);
		break;
	case BATON_SLOT_EVENT:
		drain_event(d, slot);
		break;
	case BATON_SLOT_HOLDER:
		d->holder = *slot;
		break;
	case BATON_SLOT_ALLOCATION:
		d->allocation = *slot;
		break;
	default:
		break;
	}
}

struct baton_drain_lost baton_drain_lost(struct baton_drain *d, const struct baton_lane *lane,
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

int baton_drain_from_ring(unsigned kind)
{
	return kind == BATON_CALL || kind == BATON_RANGE || kind == BATON_OVERHEAD ||
		   kind == BATON_SCHED || kind == BATON_SYNC;
}

int baton_drain_checkpoint(struct baton_drain *d, uint64_t dictionary, const uint64_t (*lanes)[3],
						   uint32_t n)
{
	struct baton_r_checkpoint row = {
		.lanes = n, .dictionary = dictionary, .launches = d->launches, .kernels = d->kernels};
	return baton_writer_record(d->writer, BATON_R_CHECKPOINT, &row, sizeof(row), lanes,
							   n * sizeof(*lanes));
}
