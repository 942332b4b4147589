#include "session.h"

#include "base/clock.h"
#include "base/config.h"
#include "base/guard.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/recording.h"
#include "base/stop_point.h"
#include "base/unrecorded.h"
#include "base/wake.h"
#include "drain/trace_file.h"
#include "ring/dict.h"
#include "ring/lane.h"
#include "ring/live.h"
#include "sources.h"
#include "sources/cupti/cupti.h"
#include "sources/stacks/stacks.h"
#include "window.h"
#include "writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What was chosen before CUPTI began: what it takes since then is no reason to take more. */
static _Atomic(const struct memory_size *) chosen;
static _Atomic(const char *) chosen_limit;

/* The child of a fork has its parent's memory: the live file, the lanes and the writer thread are
 * not its own. It may begin a recording of its own, should it use CUDA. */
static void in_child(void)
{
	STOP_POINT("fork");
	recording_forget();
	memory_size = memory_sizes;
	recording.limit = NULL;
	atomic_store(&chosen, NULL);
	lane_mine = NULL;
	guard_lower(GUARD_SHIM);
	live_forget();
	trace_file_forget();
	wake_forget();
	sources_forget();
	window_forget();
}

static const struct recording_above above = {.begin = session_begin,
											 .range_begins = window_range_begins,
											 .range_ends = window_range_ends,
											 .window_close = window_close};

void session_configure(void)
{
	bool wanted = config_read();
	window_configure(config.window);
	if (window_missed()) /* for this process and all that it starts */
		config.out[0] = 0;
	if (!wanted || !config.out[0])
		return;
	recording.above = &above;
	recording_move(0, RECORDING_ARMED);
	pthread_atfork(NULL, NULL, in_child);
}

/* BOOT8.PID.STARTTIME.GEN.baton: GEN counts the program images that this process has been. */
static int create_trace(void)
{
	char name[64];
	int error = -EEXIST;
	for (uint32_t generation = 0; error == -EEXIST && generation < 1000; generation++) {
		recording.image = generation;
		identity_name(&recording.identity, generation, name);
		snprintf(recording.trace, sizeof(recording.trace), "%s/%s.baton", config.out, name);
		error = trace_file_create(recording.trace);
	}
	return error;
}

/* Everything that begin() made goes, whatever it came to. No other thread has seen any of it: hooks
 * look at the live file only once the recording has begun. */
static void undo(void)
{
	dict_close();
	live_undo();
	trace_file_remove();
	cupti_give_up();
}

/* Where the place for rings has no room for all, less of them may fit. */
static int open_rings(void)
{
	int error = live_open(&recording.identity, recording.image, recording.trace);
	while ((error == -ENOSPC || error == -EFBIG) && memory_size < memory_sizes + MEMORY_SIZES - 1) {
		memory_size++;
		recording.limit = error == -EFBIG ? "the limit of its files (ulimit -f)"
										  : "the room in /dev/shm, TMPDIR and the output directory";
		error = live_open(&recording.identity, recording.image, recording.trace);
	}
	return error;
}

/* What only this process's memory and the file system decide. Returns where it failed. */
static const char *open_all(int *error)
{
	*error = identity_read(&recording.identity);
	if (!*error)
		*error = create_trace();
	if (*error)
		return config.out;
	STOP_POINT("begin");
	*error = open_rings();
	if (*error)
		return "rings";
	*error = dict_open();
	if (!*error)
		*error = writer_start();
	return recording.trace;
}

static int begin(void)
{
	int error = -ETIME;
	if (window_missed())
		return error;
	clock_open();
	recording.begin_ticks = clock_ticks();
	const char *where = open_all(&error);
	if (error) {
		if (strcmp(where, "rings") == 0)
			message(
				"no room for the rings in /dev/shm, TMPDIR or %s (%s); this process (pid %d) is "
				"not recorded",
				config.out, strerror(-error), (int)getpid());
		else
			message("%s: %s; this process (pid %d) is not recorded", where, strerror(-error),
					(int)getpid());
		return error;
	}
	lane_prepare();
	if (!recording.windowed)
		sources_start();
	stacks_open(config.stacks);
	if (config.cuda_held && !cupti_tried())
		message("another tool holds CUDA_INJECTION64_PATH: launches are recorded, GPU work is not");
	if (memory_size->without)
		message("%s leaves the recorder little; this process (pid %d) is recorded with %s",
				recording.limit, (int)getpid(), memory_size->without);
	if (stacks_why_off())
		message("stacks are off: %s", stacks_why_off());
	return 0;
}

/* The most that all limits leave room for; NULL: none. *low: the limit that leaves less than all.
 */
static const struct memory_size *choose(const char **low)
{
	const struct memory_size *size = atomic_load(&chosen);
	*low = size ? atomic_load(&chosen_limit) : NULL;
	for (size = size ? size : memory_sizes; size < memory_sizes + MEMORY_SIZES; size++) {
		const char *limit = live_too_low(size, !cupti_tried());
		if (!limit)
			return size;
		*low = *low ? *low : limit;
	}
	return NULL;
}

/* False: a limit leaves too little, and `phase` has become off. */
static bool fits(uint32_t phase)
{
	const char *low;
	const struct memory_size *size = choose(&low);
	if (!size && recording_move(phase, 0)) {
		message("%s leaves the recorder too little; this process (pid %d) is not recorded", low,
				(int)getpid());
		unrecorded_note();
	}
	if (size && phase == RECORDING_BEGINS) { /* of this thread alone */
		memory_size = size;
		recording.limit = low;
	} else {
		atomic_store(&chosen_limit, low);
		atomic_store(&chosen, size);
	}
	return size != NULL;
}

bool session_fits(void)
{
	if (recording_is(RECORDING_ARMED))
		return fits(RECORDING_ARMED);
	return recording_is(RECORDING_PHASES);
}

/* False: it has failed, or its window was over before it began. */
static bool begin_armed(void)
{
	if (!fits(RECORDING_BEGINS)) {
		cupti_give_up();
		return false;
	}
	if (begin() != 0) {
		if (recording_move(RECORDING_BEGINS, 0)) /* else its window was over */
			unrecorded_note();
		undo();
		return false;
	}
	/* with a window it is the window's to open, at any moment from now on */
	if (!recording_move(RECORDING_BEGINS, recording.windowed ? RECORDING_WAITS : RECORDING_OPEN))
		recording_move(RECORDING_MISSED, RECORDING_OVER);
	live_note_gpu();
	window_start();
	atexit(session_end);
	return true;
}

static bool runs(void)
{
	uint32_t word = atomic_load(&recording_word);
	return word & RECORDING_BEGUN && !(word & RECORDING_EXITS);
}

bool session_begin(void)
{
	if (runs())
		return true;
	if (recording_move(RECORDING_ARMED, RECORDING_BEGINS))
		return begin_armed();
	while (recording_phase() == RECORDING_BEGINS) /* another thread is at it: some 100 us, once */
		usleep(50);
	return runs();
}

static void note_unheard(void)
{
	if (recording_phase() == RECORDING_ARMED && cupti_tried()) /* not a forked child's */
		unrecorded_note();
}

void session_may_stay_deaf(void)
{
	if (recording_phase() == RECORDING_ARMED)
		atexit(note_unheard);
}

void session_ends_before_driver(void)
{
	if (runs())
		atexit(session_end); /* handlers run in reverse order; its second call does nothing */
}

void session_end(void)
{
	if (!recording_exit())
		return;
	guard_raise(GUARD_SHIM); /* this thread's later calls are not recorded */
	sources_stop(false);
	writer_stop();
	guard_lower(GUARD_SHIM);
}
