/* What held a device up: the engine's words, not the reducer's. */
#ifndef SIMGPU_VIRTUAL_SCRIPT_CAUSE_H
#define SIMGPU_VIRTUAL_SCRIPT_CAUSE_H

enum cause {
	CAUSE_CPU_WORK, /* Python or framework code between the calls */
	CAUSE_PAGE_FAULT,
	CAUSE_INPUT,
	CAUSE_SYNC,
	CAUSE_ALLOC,
	CAUSE_MODULE_LOAD,
	CAUSE_NCCL_HOST,
	CAUSE_GIL,
	CAUSE_NO_CORE,
	CAUSE_SLEEP,
	CAUSE_API,
	CAUSE_LAUNCH_CALL,
	CAUSE_LAUNCH_LATENCY,
	CAUSE_QUEUE_FULL,
	CAUSE_PROFILER,
	CAUSE_DISPATCH,
	CAUSE_HOST_FUNC,
	CAUSE_DEPENDENCY,
	CAUSE_SHARED, /* another process had the GPU */
	CAUSE_NONE,   /* before the first and after the last op: nobody wanted anything */
	CAUSE_COUNT
};

const char *cause_name(enum cause cause);

#endif
