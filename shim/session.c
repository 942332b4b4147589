#include "session.h"

#include "sources/torch/backward.h"
#include "base/clock.h"
#include "base/config.h"
#include "sources/cupti/cupti.h"
#include "ring/dict.h"
#include "base/guard.h"
#include "ring/lane.h"
#include "ring/live.h"
#include "base/message.h"
#include "sources/nccl/nccl_comm.h"
#include "sources/silence/silence.h"
#include "sources/stacks/stacks.h"
#include "base/stop_point.h"
#include "base/wake.h"
#include "drain/trace_file.h"
#include "window.h"
#include "sources/cupti/cupti_window.h"
#include "writer.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum state { OFF, WAITING, BEGINNING, RUNNING, ENDED };

struct session session;
static _Atomic int state = OFF;

/* The child of a fork has its parent's memory: the live file, the lanes and the writer thread are
 * not its own. It may begin a recording of its own, should it use CUDA. */
static void in_child(void)
{
	STOP_POINT("fork");
	lane_generation++;
	lane_started = false;
	lane_mine = NULL;
	guard_lower(GUARD_SHIM);
	live_forget();
	trace_file_forget();
	wake_forget();
	silence_forget();
	cupti_forget();
	stacks_forget();
	backward_forget();
	nccl_comm_forget();
	window_forget();
	window_calls_forget();
	if (atomic_load(&state) != OFF)
		atomic_store(&state, WAITING);
}

void session_configure(void)
{
	bool wanted = config_read();
	window_configure(config.window);
	if (window_missed()) /* for this process and all that it starts */
		config.out[0] = 0;
	if (!wanted || !config.out[0])
		return;
	atomic_store(&state, WAITING);
	pthread_atfork(NULL, NULL, in_child);
}

/* BOOT8.PID.STARTTIME.GEN.baton: GEN counts the program images that this process has been. */
static int create_trace(void)
{
	char name[64];
	int error = -EEXIST;
	for (uint32_t generation = 0; error == -EEXIST && generation < 1000; generation++) {
		session.generation = generation;
		identity_name(&session.identity, generation, name);
		snprintf(session.trace, sizeof(session.trace), "%s/%s.baton", config.out, name);
		error = trace_file_create(session.trace);
	}
	return error;
}

static int begin(void)
{
	if (window_missed())
		return -ETIME;
	clock_open();
	session.begin_ticks = clock_ticks();
	int error = identity_read(&session.identity);
	if (!error)
		error = create_trace();
	if (error) {
		message("%s: %s; this process (pid %d) is not recorded", config.out, strerror(-error),
				(int)getpid());
		return error;
	}
	STOP_POINT("begin");
	error = live_open(&session.identity, session.generation, session.trace);
	if (!error)
		error = dict_open();
	if (error) {
		message(
			"no room for the rings in /dev/shm, TMPDIR or %s (%s); this process (pid %d) is not "
			"recorded",
			config.out, strerror(-error), (int)getpid());
		trace_file_remove();
		return error;
	}
	error = writer_start();
	if (error) {
		message("%s: %s; this process (pid %d) is not recorded", session.trace, strerror(-error),
				(int)getpid());
		trace_file_remove();
		live_remove();
		return error;
	}
	lane_prepare();
	if (!window_asked())
		silence_start();
	stacks_open(config.stacks);
	if (config.cuda_held && !cupti_tried())
		message("another tool holds CUDA_INJECTION64_PATH: launches are recorded, GPU work is not");
	if (stacks_why_off())
		message("stacks are off: %s", stacks_why_off());
	return 0;
}

bool session_begin(void)
{
	int seen = WAITING;
	if (atomic_load(&state) == RUNNING)
		return true;
	if (atomic_compare_exchange_strong(&state, &seen, BEGINNING)) {
		bool begun = begin() == 0;
		if (begun && !window_asked()) /* else it is the window's, and that may open at any moment */
			lane_started = true;
		atomic_store(&state, begun ? RUNNING : ENDED);
		if (begun) {
			window_start();
			atexit(session_end);
		}
		return begun;
	}
	while (atomic_load(&state) == BEGINNING) /* another thread is at it: some 100 us, once */
		usleep(50);
	return atomic_load(&state) == RUNNING;
}

void session_ends_before_driver(void)
{
	if (atomic_load(&state) == RUNNING)
		atexit(session_end); /* handlers run in reverse order; its second call does nothing */
}

void session_end(void)
{
	int running = RUNNING;
	if (!atomic_compare_exchange_strong(&state, &running, ENDED))
		return;
	guard_raise(GUARD_SHIM); /* this thread's later calls are not recorded */
	silence_stop();
	writer_stop();
	guard_lower(GUARD_SHIM);
}
