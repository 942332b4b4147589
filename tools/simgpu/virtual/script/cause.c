#include "virtual/script/cause.h"

static const char *const names[CAUSE_COUNT] = {[CAUSE_CPU_WORK] = "cpu_work",
											   [CAUSE_PAGE_FAULT] = "page_fault",
											   [CAUSE_INPUT] = "input",
											   [CAUSE_SYNC] = "sync",
											   [CAUSE_ALLOC] = "alloc",
											   [CAUSE_MODULE_LOAD] = "module_load",
											   [CAUSE_NCCL_HOST] = "nccl_host",
											   [CAUSE_GIL] = "gil",
											   [CAUSE_NO_CORE] = "no_core",
											   [CAUSE_SLEEP] = "sleep",
											   [CAUSE_API] = "api",
											   [CAUSE_LAUNCH_CALL] = "launch_call",
											   [CAUSE_LAUNCH_LATENCY] = "launch_latency",
											   [CAUSE_QUEUE_FULL] = "queue_full",
											   [CAUSE_PROFILER] = "profiler",
											   [CAUSE_DISPATCH] = "dispatch",
											   [CAUSE_HOST_FUNC] = "host_func",
											   [CAUSE_DEPENDENCY] = "dependency",
											   [CAUSE_SHARED] = "shared",
											   [CAUSE_NONE] = "none"};

const char *cause_name(enum cause cause)
{
	return names[cause];
}
