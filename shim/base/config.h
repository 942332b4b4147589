/* What the environment asks for: the BATON_* variables, one table (config.c, docs/RECORD.md). Read
 * once, in the constructor; later changes of the environment do not count. */
#ifndef SHIM_CONFIG_H
#define SHIM_CONFIG_H

#include <stdbool.h>
#include <stdint.h>

enum stacks_mode { STACKS_OFF, STACKS_PYTHON, STACKS_NATIVE, STACKS_BOTH };

struct config {
	char out[1024];          /* BATON_OUT: where the trace files go; empty: nothing is recorded */
	char ring_dir[256];      /* BATON_RING_DIR: where the live file goes, first choice */
	char run_id[128];        /* BATON_RUN_ID, else the launcher's */
	char cupti[1024];        /* BATON_CUPTI: path of libcupti; "none": do without */
	enum stacks_mode stacks; /* BATON_STACKS */
	bool cuda_held;          /* CUDA_INJECTION64_PATH names another tool's library (attach.c) */
	bool cuda, nvtx, nccl;   /* BATON_TRACE */
	bool graph_whole;        /* BATON_GRAPHS=graph */
	bool backward;           /* BATON_BACKWARD: Python lines of what backward launches */
	bool verbose;            /* BATON_VERBOSE */
	uint32_t host_tick_ns;   /* BATON_HOST_CLOCK: host times are multiples of it; 0: as they are */
	char window[128];        /* BATON_WINDOW: the part of the job that is recorded (window.h) */
	int64_t keep_ns;         /* BATON_KEEP_LAST: how much of the job's end is kept; 0: all of it */
	uint64_t ring_slots;     /* BATON_RING_SLOTS: of a thread; a power of two */
};

extern struct config config;

/* False: this process is not to be recorded (no BATON_OUT, or it runs with raised privileges). */
bool config_read(void);

#endif
