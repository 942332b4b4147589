#include "drain/trace_rows.h"

#include "ring/arena.h"
#include "base/clock.h"
#include "base/config.h"
#include "sources/cupti/cupti.h"
#include "ring/dict.h"
#include "drain/gpu_rows.h"
#include "ring/live.h"
#include "base/memory.h"
#include "base/message.h"
#include "sources/nvtx/nvtx_ranges.h"
#include "base/recording.h"
#include "base/stop_point.h"
#include "drain/trace_file.h"
#include "window.h"
#include "window_notes.h"

#include <baton/drain.h>
#include <baton/version.h>
#include <stdio.h>
#include <unistd.h>

#define LEAST_BASELINE_NS (5 * 1000000) /* of the clock's rate: as good as it has to be */

__extension__ typedef unsigned __int128 wide;

static struct {
	struct baton_writer file;
	struct baton_drain drain;
	uint64_t
		taken[BATON_LIVE_LANES]; /* slots per lane that are rows, in the file or on their way */
	uint64_t told[BATON_LIVE_LANES][2]; /* drops that are told, or will be with the next write */
	struct clock_moment first;          /* the baseline of the clock's rate */
	bool left;                          /* there are slots that the last round did not take */
	bool last; /* the process ends: records that are unfinished now stay so */
	bool started;
	int error; /* of the file; told once */
} w;

/* ---- the clock ---- */

/* The rate comes from a baseline that grows to the session's length, on a clock that nobody sets: a
 * call that began long ago is placed as well as a new one. The map is anchored now, on
 * CLOCK_REALTIME as CUPTI's times are. */
static void update_clock(void)
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
	if (now.raw_ns - w.first.raw_ns > LEAST_BASELINE_NS)
		window_expect(&now, map.mult);
	uint32_t other = !atomic_load_explicit(&live->clock_now, memory_order_relaxed);
	live->clock[other] = map;
	atomic_store_explicit(&live->clock_now, other, memory_order_release);
}

/* ---- what comes in ---- */

/* As much as is to be held waits for the next write, or for room on the disk. */
static bool too_much(void)
{
	return w.file.held_bytes > MEMORY_HELD_BYTES;
}

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

/* Records of the arena that are finished, as far as a full disk leaves room to hold them. After the
 * slots and ops that name them, before these go out. */
static void take_dictionary(void)
{
	struct baton_record *record;
	while (!(w.error && too_much()) && (record = arena_next(w.last)) != NULL)
		baton_writer_record(&w.file, record->type, record, record->size, NULL, 0);
	live_grow_dictionary(arena_seen() + (1 << 20));
}

void trace_rows_record(uint16_t type, void *record, size_t bytes)
{
	take_dictionary();
	baton_writer_record(&w.file, type, record, bytes, NULL, 0);
}

/* ---- what goes out ---- */

static void lanes_are_written(void)
{
	uint32_t used = atomic_load(&live->lanes_used);
	for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES; i++) {
		struct baton_lane *lane = live_lane(i);
		atomic_store_explicit(&lane->tail, w.taken[i], memory_order_release);
	}
	atomic_store(&live->dictionary_drained, arena_taken());
}

void trace_rows_loss(enum baton_loss_kind kind, const char *what, uint64_t count)
{
	struct baton_r_loss row = {.kind = kind, .count = count};
	if (!count)
		return;
	row.what = dict_string(what, strlen(what));
	trace_rows_record(BATON_R_LOSS, &row, sizeof(row));
}

/* What a thread's ring had no room for. Told by thread: the counts of one add up exactly. */
static void add_lane_losses(unsigned i)
{
	struct baton_lane *lane = live_lane(i);
	char what[64];
	uint32_t owner = atomic_load(&lane->thread);
	struct baton_drain_lost lost = baton_drain_lost(&w.drain, lane, w.told[i]);
	snprintf(what, sizeof(what), "launches of thread %u", owner);
	trace_rows_loss(BATON_LOSS_DROPPED, what, lost.launches);
	snprintf(what, sizeof(what), "other calls and ranges of thread %u", owner);
	trace_rows_loss(BATON_LOSS_DROPPED, what, lost.others);
}

static void add_losses(void)
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

static int append_held(void)
{
	int error = w.file.error ? w.file.error : trace_file_append(w.file.held, w.file.held_bytes);
	if (error && !w.error && w.started) /* else whoever starts it says so */
		message("%s: %s; what it has no room for is counted as dropped", recording.trace,
				strerror(-error));
	w.error = error;
	if (!error)
		w.file.held_bytes = 0;
	return error;
}

void trace_rows_write(void)
{
	if (w.error && append_held() != 0)
		return;
	add_losses();
	take_dictionary();
	for (size_t t = 0; t < BATON_TABLES; t++)
		baton_writer_flush_table(&w.file, &baton_tables[t]);
	add_checkpoint();
	baton_writer_flush_records(&w.file);
	if (append_held() != 0)
		return;
	STOP_POINT("written");
	lanes_are_written();
	STOP_POINT("tails");
	free_lanes();
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
	if (too_much() && !w.error)
		trace_rows_write();
}

static uint64_t take_buffers(void)
{
	uint64_t n = 0;
	do
		relieve();
	while (gpu_rows_take(w.error && too_much()) && ++n);
	return n;
}

/* While the disk is full slots stay in their rings, which drop what finds no room there; what CUPTI
 * delivers is dropped. */
uint64_t trace_rows_round(void)
{
	uint64_t n = 0;
	update_clock();
	live->gpu_recorded = recording_by_cupti();
	uint32_t used = atomic_load(&live->lanes_used);
	n += 1000 * take_buffers();
	w.left = false;
	for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES && !w.left; i++) {
		relieve();
		w.left = too_much();
		n += w.left ? 0 : take_lane(i);
	}
	return n;
}

void trace_rows_meta(const char *key, const char *value)
{
	struct baton_r_meta row = {.key = dict_string(key, strlen(key)),
							   .value = dict_string(value, strlen(value))};
	trace_rows_record(BATON_R_META, &row, sizeof(row));
}

/* A thread that still runs while the process ends may be in the middle of a name; what comes behind
 * it is wanted too. */
void trace_rows_settle(void)
{
	for (int ms = 0; ms < 50; ms++) {
		take_dictionary();
		if (arena_taken() >= atomic_load(&live->dictionary_reserved))
			break;
		usleep(1000);
	}
	w.last = true;
}

static void add_unclosed(void *unused, uint32_t id, const struct baton_slot *slot)
{
	(void)unused;
	if (slot->begin <= slot->end) /* else it began behind the window */
		baton_drain_slot(&w.drain, id, slot);
}

void trace_rows_unclosed(uint64_t end_ticks)
{
	nvtx_close(end_ticks, add_unclosed, NULL);
}

bool trace_rows_seal(void)
{
	struct baton_block_header end = {.kind = BATON_END, .raw_bytes = 8};
	memcpy(w.file.raw, &w.file.sequence, 8);
	baton_writer_seal(&w.file, &end);
	return !w.left && !w.file.error && !w.error &&
		   trace_file_append(w.file.held, w.file.held_bytes) == 0 && trace_file_close() == 0;
}

void trace_rows_close(void)
{
	baton_drain_close(&w.drain);
	baton_writer_free(&w.file);
}

static void write_process(void)
{
	const struct identity *who = &recording.identity;
	struct baton_r_process row = {.pid = who->pid,
								  .start_time = who->start_time,
								  .rank = who->rank,
								  .world_size = who->world_size,
								  .local_rank = who->local_rank,
								  .generation = recording.image,
								  .host = dict_string(who->host, strlen(who->host)),
								  .source = dict_string("baton", 5),
								  .source_version =
									  dict_string(BATON_VERSION, strlen(BATON_VERSION)),
								  .run_id = dict_string(config.run_id, strlen(config.run_id))};
	memcpy(row.boot_id, who->boot_id, sizeof(row.boot_id));
	trace_rows_record(BATON_R_PROCESS, &row, sizeof(row));
}

/* No fd is given to the encoder: it collects blocks in memory, the file is written in one piece. */
static int open_file(void)
{
	int error =
		baton_writer_open_held(&w.file, BATON_TRACE, recording.begin_ticks, MEMORY_WRITER_ROWS);
	if (error)
		return error;
	w.file.before_rows = take_dictionary;
	gpu_rows_open(&w.file, &w.drain);
	error = baton_drain_open(&w.drain, &w.file);
	if (error)
		return error;
	update_clock();
	write_process();
	window_note();
	trace_rows_write();
	return w.error;
}

int trace_rows_open(void)
{
	memset(&w, 0, sizeof(w));
	arena_forget();
	w.file.fd = -1;
	int error = open_file();
	w.started = true;
	return error;
}

struct baton_drain *trace_rows_drain(void)
{
	return &w.drain;
}

bool trace_rows_failing(void)
{
	return w.error != 0;
}
