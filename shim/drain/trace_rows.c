#include "drain/trace_rows.h"

#include "base/cpus.h"
#include "base/clock.h"
#include "base/config.h"
#include "base/memory.h"
#include "base/recording.h"
#include "base/stop_point.h"
#include "drain/gpu_rows.h"
#include "drain/keep.h"
#include "drain/places.h"
#include "drain/trace.h"
#include "ring/arena.h"
#include "ring/dict.h"
#include "ring/live.h"
#include "sources/cupti/cupti.h"
#include "sources/nvtx/nvtx_ranges.h"

#include <baton/drain.h>
#include <baton/version.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LEAST_BASELINE_NS (5 * 1000000) /* of the clock's rate: as good as it has to be */

__extension__ typedef unsigned __int128 wide;

static struct {
	struct baton_writer *file; /* of the trace */
	struct baton_drain drain;
	uint64_t
		taken[BATON_LIVE_LANES]; /* slots per lane that are rows, in the file or on their way */
	uint64_t told[BATON_LIVE_LANES][2]; /* drops that are told, or will be with the next write */
	struct clock_moment first;          /* the baseline of the clock's rate */
	int64_t set_ns;                     /* CLOCK_REALTIME - CLOCK_MONOTONIC when last read */
	bool tells_clock;                   /* the trace has been told once */
	bool left;                          /* there are slots that the last round did not take */
	uint64_t ops_held;    /* of the ops taken, those in blocks that are for the file */
	uint64_t ops_written; /* those in it */
} w;

/* ---- the clock ---- */

enum { CLOCK_STEP_NS = 1000000 };

/* Where CLOCK_REALTIME stands against the clock that nobody sets: at first, and when it has been set
 * by more than a clock drifts from one round of the writer to the next. */
static void tell_clock(const struct clock_moment *now)
{
	const uint64_t between_ns =
		(uint64_t)((wide)(now->ticks - now->raw_ticks) * w.drain.clock.mult >> 32);
	const int64_t monotonic_ns = now->raw_ns + (int64_t)between_ns;
	const int64_t set_ns = now->realtime_ns - monotonic_ns, by_ns = set_ns - w.set_ns;
	struct baton_r_clock row = {
		.local_ns = now->realtime_ns, .reference_ns = monotonic_ns, .kind = BATON_CLOCK_MONOTONIC};
	w.set_ns = set_ns;
	if (w.tells_clock && by_ns < CLOCK_STEP_NS && by_ns > -CLOCK_STEP_NS)
		return;
	w.tells_clock = true;
	trace_record(BATON_R_CLOCK, &row, sizeof(row));
}

/* The rate comes from a baseline that grows to the session's length, on a clock that nobody sets: a
 * call that began long ago is placed as well as a new one. The map is anchored now, on
 * CLOCK_REALTIME as CUPTI's times are. */
uint64_t trace_rows_read_clock(struct clock_moment *moment)
{
	struct clock_moment now;
	clock_pair(&now);
	if (!w.first.raw_ticks)
		w.first = now;
	struct baton_clock_map map = {now.ticks, now.realtime_ns,
								  clock_counter ? 0 : (uint64_t)1 << 32};
	if (now.raw_ticks > w.first.raw_ticks && now.raw_ns > w.first.raw_ns)
		map.mult = (uint64_t)(((wide)(now.raw_ns - w.first.raw_ns) << 32) /
							  (now.raw_ticks - w.first.raw_ticks));
	w.drain.clock = map;
	uint32_t other = !atomic_load_explicit(&live->clock_now, memory_order_relaxed);
	live->clock[other] = map;
	atomic_store_explicit(&live->clock_now, other, memory_order_release);
	*moment = now;
	if (w.tells_clock)
		tell_clock(&now);
	return now.raw_ns - w.first.raw_ns > LEAST_BASELINE_NS ? map.mult : 0;
}

/* ---- what comes in ---- */

static uint64_t take_lane(unsigned i)
{
	struct baton_lane *lane = live_lane(i);
	uint64_t head = atomic_load_explicit(&lane->head, memory_order_acquire);
	uint32_t owner = atomic_load(&lane->thread);
	const struct baton_slot *slots = lane->offset ? live_slots(lane) : NULL;
	uint64_t n = head - w.taken[i];
	for (; slots && w.taken[i] < head; w.taken[i]++)
		baton_drain_slot(&w.drain, owner, &slots[w.taken[i] & (lane->slots - 1)]);
	return n;
}

/* ---- what goes out ---- */

/* For the salvage: what a full disk keeps out of the file is dropped, and not in flight. */
static void note_gpu(void)
{
	struct gpu_rows_counts came = gpu_rows_counts();
	atomic_store_explicit(&live->gpu_kernels, w.drain.kernels, memory_order_relaxed);
	atomic_store_explicit(&live->gpu_lost, came.lost, memory_order_relaxed);
	atomic_store_explicit(&live->gpu_unwritten, came.ops - w.ops_written, memory_order_relaxed);
}

static void lanes_are_written(void)
{
	note_gpu();
	uint32_t used = atomic_load(&live->lanes_used);
	for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES; i++) {
		struct baton_lane *lane = live_lane(i);
		atomic_store_explicit(&lane->tail, w.taken[i], memory_order_release);
	}
	atomic_store(&live->dictionary_drained, arena_taken());
}

/* What a thread's ring had no room for. Told by thread: the counts of one add up exactly. */
static void add_lane_losses(unsigned i)
{
	struct baton_lane *lane = live_lane(i);
	char what[64];
	uint32_t owner = atomic_load(&lane->thread);
	struct baton_drain_lost lost = baton_drain_lost(&w.drain, lane, w.told[i]);
	snprintf(what, sizeof(what), "launches of thread %u", owner);
	trace_loss(BATON_LOSS_DROPPED, what, lost.launches);
	snprintf(what, sizeof(what), "other calls and ranges of thread %u", owner);
	trace_loss(BATON_LOSS_DROPPED, what, lost.others);
}

void trace_rows_tell_losses(void)
{
	uint32_t used = atomic_load(&live->lanes_used);
	for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES; i++)
		add_lane_losses(i);
}

/* A lane whose thread has ended goes to the next one, once its slots are in the file. */
static void free_lanes(void)
{
	uint32_t used = atomic_load(&live->lanes_used);
	for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES; i++) {
		struct baton_lane *lane = live_lane(i);
		if (!atomic_load_explicit(&lane->over, memory_order_acquire) ||
			atomic_load(&lane->head) != atomic_load(&lane->tail) ||
			baton_lane_dropped(lane) != w.told[i][0])
			continue;
		atomic_store(&lane->over, 0);
		atomic_store_explicit(&lane->thread, 0, memory_order_release);
	}
}

static void add_checkpoint(void)
{
	static uint64_t lanes[BATON_LIVE_LANES][3];
	uint32_t used = atomic_load(&live->lanes_used);
	used = used < BATON_LIVE_LANES ? used : BATON_LIVE_LANES;
	for (uint32_t i = 0; i < used; i++) {
		lanes[i][0] = w.taken[i];
		lanes[i][1] = w.told[i][0];
		lanes[i][2] = w.told[i][1];
	}
	baton_drain_checkpoint(&w.drain, arena_taken(), lanes, used);
}

/* What waits for the file goes there. */
static int append(void)
{
	const int error = trace_append();
	if (!error)
		w.ops_written = w.ops_held;
	return error;
}

void trace_rows_write(void)
{
	if (trace_error() && append() != 0)
		return;
	trace_rows_tell_losses();
	trace_take_dictionary();
	for (size_t t = 0; t < BATON_TABLES; t++)
		baton_writer_flush_table(w.file, &baton_tables[t]);
	w.ops_held = gpu_rows_counts().ops;
	add_checkpoint();
	baton_writer_flush_records(w.file);
	if (append() != 0)
		return;
	STOP_POINT("written");
	lanes_are_written();
	STOP_POINT("tails");
	free_lanes();
	keep_written(&w.drain);
}

bool trace_rows_left(void)
{
	return w.left;
}

bool trace_rows_half_full(void)
{
	uint32_t used = atomic_load(&live->lanes_used);
	for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES; i++) {
		struct baton_lane *lane = live_lane(i);
		if (atomic_load(&lane->offset) && w.taken[i] - atomic_load(&lane->tail) > lane->slots / 2)
			return true;
	}
	return false;
}

/* ---- a round, and the ends of a file ---- */

static void relieve(void)
{
	if (trace_is_full() && !trace_error())
		trace_rows_write();
}

static uint64_t take_buffers(void)
{
	uint64_t n = 0;
	do
		relieve();
	while (gpu_rows_take(trace_error() && trace_is_full()) && ++n);
	return n;
}

/* While the disk is full slots stay in their rings, which drop what finds no room there; what CUPTI
 * delivers is dropped. */
uint64_t trace_rows_round(void)
{
	uint64_t n = 0;
	live->gpu_recorded = recording_by_cupti();
	uint32_t used = atomic_load(&live->lanes_used);
	n += 1000 * take_buffers();
	w.left = false;
	for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES && !w.left; i++) {
		relieve();
		w.left = trace_is_full();
		n += w.left ? 0 : take_lane(i);
	}
	note_gpu();
	return n;
}

static void add_unclosed(void *unused, uint32_t id, const struct baton_slot *slot)
{
	(void)unused;
	if (slot->begin <= slot->end) /* else it began after the window */
		baton_drain_slot(&w.drain, id, slot);
}

void trace_rows_unclosed(uint64_t end_ticks)
{
	nvtx_close(end_ticks, add_unclosed, NULL);
}

bool trace_rows_seal(void)
{
	keep_close();
	return !w.left && trace_seal();
}

void trace_rows_close(void)
{
	baton_drain_close(&w.drain);
	trace_close();
}

static void write_process(void)
{
	const struct identity *who = &recording.identity;
	struct baton_r_process row = {.pid = who->pid,
								  .start_time = who->start_time,
								  .rank = who->rank,
								  .world_size = who->world_size,
								  .local_rank = who->local_rank,
								  .generation = who->restarts + recording.image,
								  .host = dict_string(who->host, strlen(who->host)),
								  .source = dict_string("baton", 5),
								  .source_version =
									  dict_string(BATON_VERSION, strlen(BATON_VERSION)),
								  .run_id = dict_string(config.run_id, strlen(config.run_id))};
	memcpy(row.boot_id, who->boot_id, sizeof(row.boot_id));
	trace_record(BATON_R_PROCESS, &row, sizeof(row));
}

/* Why this trace has less than others. */
static void write_limit(void)
{
	char text[256];
	if (!memory_size->without)
		return;
	snprintf(text, sizeof(text), "%s: %s", memory_size->without, recording.limit);
	trace_meta(BATON_META_LIMITED, text);
}

int trace_rows_open(void)
{
	struct clock_moment now;
	char cpus[512];
	memset(&w, 0, sizeof(w));
	int error = trace_open(&w.file);
	if (error)
		return error;
	gpu_rows_open(w.file, &w.drain);
	error = baton_drain_open(&w.drain, w.file);
	if (error)
		return error;
	w.drain.stream_id = places_stream_id;
	w.drain.device_id = places_device_id;
	w.drain.host_tick_ns = config.host_tick_ns;
	trace_rows_read_clock(&now);
	keep_open();
	write_process();
	if (recording.windowed) /* from the start, for a process that is killed while it waits */
		trace_meta("window", recording.by_range ? "cudaProfilerApi" : "time");
	tell_clock(&now);
	write_limit();
	if (config.host_tick_ns)
		trace_meta("host.clock", "32ns");
	cpus_text(cpus, sizeof(cpus));
	if (cpus[0])
		trace_meta(BATON_META_CPUS, cpus);
	trace_rows_write();
	return trace_error();
}

struct baton_drain *trace_rows_drain(void)
{
	return &w.drain;
}
