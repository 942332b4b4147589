/* Is this process recorded? One atomic word answers all hooks. Its first eight bits are the phase,
 * where the recording stands: one of them is set, or none. The others say who sees what. Hooks only
 * read the word. session.c and window.c move the phase on, and sources.c from ENDING to OVER;
 * attach.c and sources/cupti/cupti.c set the other bits, session_end() sets EXITS. */
#ifndef SHIM_RECORDING_H
#define SHIM_RECORDING_H

#include "base/guard.h"
#include "base/identity.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum recording_bit {
	/* Off: no bit. This process is not recorded, by its configuration or because it failed. */
	RECORDING_ARMED = 1 << 0,   /* the process's first CUDA call begins it */
	RECORDING_BEGINS = 1 << 1,  /* a thread is at that; others wait for it */
	RECORDING_WAITS = 1 << 2,   /* begun, for a part of the job (window.h) that has not come */
	RECORDING_OPENING = 1 << 3, /* the window opens: CUPTI is told to send already */
	RECORDING_OPEN = 1 << 4,    /* calls are recorded, until the process or the window ends */
	RECORDING_ENDING = 1 << 5,  /* no call that begins now is recorded; those that began in the
								 * window are, and the GPU works at what they launched */
	RECORDING_OVER = 1 << 6,    /* nothing more is recorded or waited for: the writer thread seals
								 * the trace, the process goes on without */
	RECORDING_MISSED = 1 << 7,  /* the window was over before this process began to record */
	RECORDING_PHASES = (1 << 8) - 1,

	RECORDING_BY_CUPTI = 1 << 8,     /* CUPTI's callbacks see the launches; else the wrappers do */
	RECORDING_NO_CUDA = 1 << 9,      /* launches are not to be recorded */
	RECORDING_NO_NCCL = 1 << 10,     /* calls of NCCL are only forwarded */
	RECORDING_EXITS = 1 << 11,       /* the process ends: no thread gets a lane any more */
	RECORDING_BY_WRAPPERS = 1 << 12, /* follows from the others: the wrappers of the launch calls
									  * record, from the first launch, which begins the recording */

	RECORDING_BEGUN = RECORDING_WAITS | RECORDING_OPENING | RECORDING_OPEN | RECORDING_ENDING |
					  RECORDING_OVER /* there is a writer thread */
};

extern SHIM_HIDDEN _Atomic uint32_t recording_word;
/* Of the process: 1, and one more in each forked child. What a parent gave out is not its child's.
 */
extern SHIM_HIDDEN uint32_t recording_generation;

/* Of the recording that this process makes. Set as it begins, before anybody records. */
struct recording {
	struct identity identity;
	uint32_t image;   /* GEN of its file name: the program images that this process has been */
	char trace[1200]; /* path of the trace file */
	uint64_t begin_ticks;
	const char *limit; /* that leaves less than all to it (memory_size); NULL: none */
	bool windowed;     /* a part of the job is recorded; else all of it */
	bool by_range;     /* which cudaProfilerStart and cudaProfilerStop bound */
	const struct recording_above *above;
};
extern struct recording recording;

/* What a hook finds that it is time for, but only session.c and window.c can do, which stand above
 * it. session_configure() sets them. */
struct recording_above {
	/* Begins the recording when it has not begun. False: nothing is recorded here. Any thread. */
	bool (*begin)(void);
	/* cudaProfilerStart has returned; cudaProfilerStop is about to begin. */
	void (*range_begins)(void), (*range_ends)(void);
	/* A call begins after the window's time, and no thread has ended the window yet. */
	void (*window_close)(void);
};

/* The window: calls that begin in [begin_ticks, end_ticks] are recorded. */
struct recording_window {
	_Atomic uint64_t until_ticks; /* when its time will be over, for calls that begin before the
								   * writer thread has had its turn */
	_Atomic uint64_t begin_ticks, end_ticks;
	_Atomic int64_t begin_ns, end_ns; /* CLOCK_REALTIME; 0: it has not opened, not ended */
};
extern SHIM_HIDDEN struct recording_window recording_window;

/* ---- what hooks ask ---- */

static inline bool recording_is(uint32_t bits)
{
	return (atomic_load_explicit(&recording_word, memory_order_acquire) & bits) != 0;
}

/* Does this process record now? For the hooks that must not be what begins it. */
static inline bool recording_is_open(void)
{
	return recording_is(RECORDING_OPEN);
}

/* Are there calls to be recorded, or to be finished? */
static inline bool recording_takes_calls(void)
{
	return recording_is(RECORDING_OPEN | RECORDING_ENDING);
}

/* The same of what the GPU did: without a window its records may come before the first call. Not
 * where the recording could not begin: nobody would take them. */
static inline bool recording_takes_gpu(void)
{
	return recording.windowed ? recording_takes_calls() : recording_is(RECORDING_PHASES);
}

/* Will nothing more be recorded, nor finished, in this process? */
static inline bool recording_is_over(void)
{
	return (atomic_load_explicit(&recording_word, memory_order_relaxed) &
			(RECORDING_OVER | RECORDING_MISSED)) != 0;
}

/* Do the wrappers of the launch calls record? */
static inline bool recording_by_wrappers(void)
{
	return (atomic_load_explicit(&recording_word, memory_order_relaxed) & RECORDING_BY_WRAPPERS) !=
		   0;
}

/* Does CUPTI deliver in this process? Not in a forked child, where it is dead. */
static inline bool recording_by_cupti(void)
{
	return (atomic_load_explicit(&recording_word, memory_order_relaxed) & RECORDING_BY_CUPTI) != 0;
}

/* The window's times, CLOCK_REALTIME ns; false: it never opened. The end is 0 while it is open. */
static inline bool recording_window_times(int64_t *begin_ns, int64_t *end_ns)
{
	*begin_ns = atomic_load(&recording_window.begin_ns);
	*end_ns = atomic_load(&recording_window.end_ns);
	return *begin_ns != 0;
}

/* ---- who moves it on ---- */

static inline uint32_t recording_phase(void)
{
	return atomic_load(&recording_word) & RECORDING_PHASES;
}

/* From one phase to another, 0 being off. False: it is in a third. */
bool recording_move(uint32_t from, uint32_t to);
/* Bits beside the phase: they stay. */
void recording_mark(uint32_t bits);
/* The process ends. False: nothing was recorded, or that is known. */
bool recording_exit(void);
/* In a forked child: armed again, whatever its parent was at. */
void recording_forget(void);

#endif
