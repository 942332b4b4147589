#include "writer.h"

#include "buffers.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "cupti.h"
#include "cupti_guest.h"
#include "dict.h"
#include "gpu_rows.h"
#include "lane.h"
#include "live.h"
#include "memory.h"
#include "message.h"
#include "nvtx.h"
#include "own_thread.h"
#include "places.h"
#include "session.h"
#include "silence.h"
#include "stop_point.h"
#include "trace_file.h"
#include "window.h"
#include "window_calls.h"
#include "window_notes.h"
#include "window_rest.h"

#include <baton/drain.h>
#include <baton/version.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000
#define EARLY_NS (50 * 1000000)
#define IDLE_NS (10 * 1000000) /* a ring of 16 Ki slots holds 1.6 M launches a second */
#define BUSY_NS (500 * 1000)
#define STOP_SECONDS 10

__extension__ typedef unsigned __int128 wide;

static struct {
	struct baton_writer file;
	struct baton_drain drain;
	uint64_t
		taken[BATON_LIVE_LANES]; /* slots per lane that are rows, in the file or on their way */
	uint64_t dictionary;         /* bytes of the arena that are on their way */
	uint64_t told[BATON_LIVE_LANES][2]; /* drops that are told, or will be with the next write */
	struct clock_moment first;          /* the baseline of the clock's rate */
	int64_t asked_ns, first_ns; /* when CUPTI was asked last; the first launch, 0: none yet */
	bool left;                  /* there are slots that the last round did not take */
	bool last;                  /* the process ends: records that are unfinished now stay so */
	bool forced;                /* CUPTI was made to show what is unfinished */
	bool started;
	int error; /* of the file; told once */
} w;

static _Atomic uint32_t wake, hurry, stopping, finished;

/* ---- waiting ---- */

static void futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t ns)
{
	struct timespec timeout = {ns / SECOND_NS, ns % SECOND_NS};
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &timeout, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

void writer_wake(void)
{
	if (atomic_exchange(&wake, 1) == 0)
		futex_wake(&wake);
}

void writer_hurry(void)
{
	atomic_store(&hurry, 1);
	writer_wake();
}

static int64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec;
}

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
	if (now.raw_ns - w.first.raw_ns > IDLE_NS / 2) /* as good as it has to be */
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

/* Records of the arena up to the first that is not there yet, or that a full disk leaves no room to
 * hold. After the slots and ops that name them, before these go out. */
static void take_dictionary(void)
{
	uint8_t *arena = (uint8_t *)live_dictionary();
	uint64_t end = atomic_load(&live->dictionary_reserved);
	struct baton_record *record;
	while (!(w.error && too_much()) &&
		   (record = baton_dictionary_next(arena, &w.dictionary, end, w.last)) != NULL)
		baton_writer_record(&w.file, record->type, record, record->size, NULL, 0);
	live_grow_dictionary(w.dictionary + (1 << 20));
}

void writer_record(uint16_t type, void *record, size_t bytes)
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
	atomic_store(&live->dictionary_drained, w.dictionary);
}

static void add_loss(enum baton_loss_kind kind, const char *what, uint64_t count)
{
	struct baton_r_loss row = {.kind = kind, .count = count};
	if (!count)
		return;
	row.what = dict_string(what, strlen(what));
	writer_record(BATON_R_LOSS, &row, sizeof(row));
}

/* What a thread's ring had no room for. Told by thread: the counts of one add up exactly. */
static void add_lane_losses(unsigned i)
{
	struct baton_lane *lane = live_lane(i);
	char what[64];
	uint32_t owner = atomic_load(&lane->thread);
	struct baton_drain_lost lost = baton_drain_lost(&w.drain, lane, w.told[i]);
	snprintf(what, sizeof(what), "launches of thread %u", owner);
	add_loss(BATON_LOSS_DROPPED, what, lost.launches);
	snprintf(what, sizeof(what), "other calls and ranges of thread %u", owner);
	add_loss(BATON_LOSS_DROPPED, what, lost.others);
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
			atomic_load(&lane->dropped) != w.told[i][0])
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
	baton_drain_checkpoint(&w.drain, w.dictionary, lanes, used);
}

static int append_held(void)
{
	int error = w.file.error ? w.file.error : trace_file_append(w.file.held, w.file.held_bytes);
	if (error && !w.error && w.started) /* else whoever starts it says so */
		message("%s: %s; what it has no room for is counted as dropped", session.trace,
				strerror(-error));
	w.error = error;
	if (!error)
		w.file.held_bytes = 0;
	return error;
}

/* All rows so far as blocks, a checkpoint at the end, one write. A full disk: the rings keep what
 * they have (and drop, counted, what finds no room); what is held is tried again a second later. */
static void write_out(void)
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

static bool half_full(void)
{
	uint32_t used = atomic_load(&live->lanes_used);
	for (uint32_t i = 0; i < used && i < BATON_LIVE_LANES; i++) {
		struct baton_lane *lane = live_lane(i);
		if (atomic_load(&lane->offset) && w.taken[i] - atomic_load(&lane->tail) > lane->slots / 2)
			return true;
	}
	return false;
}

/* ---- the thread ---- */

static void relieve(void)
{
	if (too_much() && !w.error)
		write_out();
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
static uint64_t one_round(void)
{
	uint64_t n = 0;
	update_clock();
	live->gpu_recorded = cupti_attached();
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

static void add_unclosed(void *unused, uint32_t id, const struct baton_slot *slot)
{
	(void)unused;
	if (slot->begin <= slot->end) /* else it began behind the window */
		baton_drain_slot(&w.drain, id, slot);
}

void writer_meta(const char *key, const char *value)
{
	struct baton_r_meta row = {.key = dict_string(key, strlen(key)),
							   .value = dict_string(value, strlen(value))};
	writer_record(BATON_R_META, &row, sizeof(row));
}

/* Launches whose kernel never came; other work is known to be in flight only when CUPTI shows it
 * unfinished, or when it is missing at the end of a window. */
static void add_in_flight(void)
{
	struct window_rest rest = window_rest(&w.drain);
	uint64_t others = gpu_rows_counts().incomplete;
	if (window_is_over())
		add_loss(BATON_LOSS_IN_FLIGHT, "calls that had not returned", rest.calls);
	if (!live->gpu_recorded)
		return;
	if (window_is_over())
		others = window_rest_others(&rest, others, w.forced);
	add_loss(BATON_LOSS_IN_FLIGHT, "kernels", rest.kernels);
	add_loss(BATON_LOSS_IN_FLIGHT, "copies, memsets and nodes of graphs", others);
	add_loss(BATON_LOSS_DROPPED, "collectives without their kernel",
			 w.drain.collectives - w.drain.joined);
}

/* A thread that still runs while the process ends may be in the middle of a name; what comes behind
 * it is wanted too. */
static void settle_dictionary(void)
{
	for (int ms = 0; ms < 50; ms++) {
		take_dictionary();
		if (w.dictionary >= atomic_load(&live->dictionary_reserved))
			break;
		usleep(1000);
	}
	w.last = true;
}

static void force(bool all)
{
	w.forced = all;
	cupti_flush(all);
	one_round();
	one_round();
	gpu_rows_take_dropped();
}

/* CUPTI delivers on threads of its own: what has just ended may take a moment to come. A buffer
 * that is asked for while something in it runs comes without that for good: only at last. */
static void take_the_rest(void)
{
	for (int tries = 0; tries < 50; tries++) {
		cupti_flush(false);
		one_round();
		if (!live->gpu_recorded || w.drain.launches <= w.drain.kernels + gpu_rows_counts().lost)
			break;
		usleep(2000);
	}
	force(true);
}

/* The process goes on behind its recording's window: what was called and launched in it may be long
 * in coming. */
static void take_window(void)
{
	int64_t begin = monotonic_ns(), newest = begin, now = begin;
	while (!atomic_load(&stopping) && now - begin < (int64_t)STOP_SECONDS * SECOND_NS) {
		uint64_t ops = gpu_rows_counts().ops;
		bool here = window_calls_inside() == 0; /* before the slots are taken */
		cupti_flush(false);
		one_round();
		now = monotonic_ns();
		newest = gpu_rows_counts().ops > ops ? now : newest;
		if (here && (!live->gpu_recorded || window_rest_is_here(&w.drain, now - newest)))
			break;
		atomic_store(&wake, 0);
		futex_wait(&wake, 0, 2 * IDLE_NS);
	}
}

/* What is unfinished behind a window is counted; a torch.profiler that records on would get its own
 * work unfinished too. */
static void take_all(bool goes_on)
{
	if (goes_on)
		take_window();
	if (atomic_load(&stopping))
		take_the_rest();
	else
		force(!cupti_guest_records());
	if (!goes_on)
		return;
	silence_stop();
	window_finish();
	one_round();
}

/* The window is over, the process is not. */
static void let_go(void)
{
	live_release_rings();
	buffers_release();
	baton_drain_close(&w.drain);
	baton_writer_free(&w.file);
}

static void finish(void)
{
	bool goes_on = !atomic_load(&stopping);
	if (w.error) /* there may be room again */
		write_out();
	window_close();
	take_all(goes_on);
	settle_dictionary();
	nvtx_close(window_asked() ? atomic_load(&window_end_ticks) : clock_ticks(), add_unclosed, NULL);
	add_loss(BATON_LOSS_DROPPED, "GPU records", gpu_rows_counts().lost);
	add_loss(BATON_LOSS_DROPPED, "names and stacks", atomic_load(&live->dropped_strings));
	w.drain.launches += atomic_load(&live->unheard_launches);
	add_loss(BATON_LOSS_DROPPED, "launches of threads without a ring",
			 atomic_load(&live->unheard_launches));
	add_in_flight();
	cost_tell(w.drain.calls);
	window_note_end();
	write_out();
	struct baton_block_header end = {.kind = BATON_END, .raw_bytes = 8};
	memcpy(w.file.raw, &w.file.sequence, 8);
	baton_writer_seal(&w.file, &end);
	bool whole = !w.left && !w.file.error && !w.error &&
				 trace_file_append(w.file.held, w.file.held_bytes) == 0 && trace_file_close() == 0;
	if (whole)
		live_remove(); /* else the salvage gets what is left in the rings */
	if (whole && goes_on && !atomic_load(&stopping)) {
		let_go();
		window_say();
	}
}

/* A window that waits for its time, or for cudaProfilerStart. */
static void await_window(void)
{
	for (;;) {
		atomic_store(&wake, 0); /* who wakes us from now on has said why before */
		if (atomic_load(&stopping) || !window_waits())
			return;
		int64_t left_ns = window_attend();
		if (left_ns > 0)
			futex_wait(&wake, 0, left_ns);
	}
}

/* CUPTI is asked for what it has, and the file written, once a second; 50, 100, 200, 400 and 800 ms
 * after the first launch too: a job that ends young, by a signal, leaves something. */
static bool is_due(int64_t now)
{
	if (!w.first_ns && w.drain.launches)
		w.first_ns = w.asked_ns = now;
	int64_t pause = w.first_ns ? w.asked_ns - w.first_ns : SECOND_NS;
	pause = pause < EARLY_NS ? EARLY_NS : pause < SECOND_NS ? pause : SECOND_NS;
	if (now - w.asked_ns < pause)
		return false;
	w.asked_ns = now;
	return true;
}

static void run(void)
{
	await_window();
	window_note_begin();
	w.asked_ns = monotonic_ns();
	while (!atomic_load(&stopping) && !window_ended()) {
		atomic_store(&wake, 0);
		uint64_t n = one_round();
		bool due = is_due(monotonic_ns()), in_a_hurry = atomic_exchange(&hurry, 0);
		if (due) {
			cupti_flush(false);
			n += one_round(); /* what it gave is in the file before the job can die of the rest */
		}
		if (due || (!w.error && (in_a_hurry || half_full())))
			write_out();
		futex_wait(&wake, 0, window_until_end(n > 4096 ? BUSY_NS : IDLE_NS));
	}
	finish();
	atomic_store(&finished, 1);
	futex_wake(&finished);
}

static void write_process(void)
{
	const struct identity *who = &session.identity;
	struct baton_r_process row = {.pid = who->pid,
								  .start_time = who->start_time,
								  .rank = who->rank,
								  .world_size = who->world_size,
								  .local_rank = who->local_rank,
								  .generation = session.generation,
								  .host = dict_string(who->host, strlen(who->host)),
								  .source = dict_string("baton", 5),
								  .source_version =
									  dict_string(BATON_VERSION, strlen(BATON_VERSION)),
								  .run_id = dict_string(config.run_id, strlen(config.run_id))};
	memcpy(row.boot_id, who->boot_id, sizeof(row.boot_id));
	writer_record(BATON_R_PROCESS, &row, sizeof(row));
}

/* No fd is given to the encoder: it collects blocks in memory, the file is written in one piece. */
static int open_file(void)
{
	int error =
		baton_writer_open_held(&w.file, BATON_TRACE, session.begin_ticks, MEMORY_WRITER_ROWS);
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
	write_out();
	return w.error;
}

int writer_start(void)
{
	memset(&w, 0, sizeof(w));
	w.file.fd = -1;
	places_forget();
	atomic_store(&stopping, 0);
	atomic_store(&finished, 0);
	int error = open_file();
	w.started = true;
	if (!error)
		error = own_thread_start("baton-writer", run, false);
	if (error) {
		baton_drain_close(&w.drain);
		baton_writer_free(&w.file);
	}
	return error;
}

void writer_stop(void)
{
	int64_t deadline = monotonic_ns() + (int64_t)STOP_SECONDS * SECOND_NS;
	atomic_store(&stopping, 1);
	writer_wake();
	while (!atomic_load(&finished) && monotonic_ns() < deadline)
		futex_wait(&finished, 0, 100 * 1000000);
	if (!atomic_load(&finished))
		message("the last records of process %d took longer than %d s to write; the rings have the "
				"rest",
				(int)session.identity.pid, STOP_SECONDS);
}

void writer_forget(void)
{
	atomic_store(&wake, 0);
}
