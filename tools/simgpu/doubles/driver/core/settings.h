/* The environment, read once. docs/SIMGPU.md lists the variables. */
#ifndef SIMGPU_DOUBLES_DRIVER_CORE_SETTINGS_H
#define SIMGPU_DOUBLES_DRIVER_CORE_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_DEVICES 16

struct settings {
	int devices;               /* visible ones */
	int physical[MAX_DEVICES]; /* the number of each on the machine */
	int64_t slow[MAX_DEVICES]; /* thousandths */
	int cuda;                  /* 12080; 0 not said */
	int capability;            /* 80 */
	int64_t kernel_ns, latency_ns, gap_ns, graph_gap_ns, host_func_ns;
	int64_t copy_mb_s, pageable_mb_s, local_mb_s;
	size_t memory_bytes;
	uint32_t fill_blocks; /* blocks that fill a device */
	size_t zero_bytes;    /* results up to that size read as zero */
};

const struct settings *settings(void);
/* What cuInit returns by order (SIMGPU_FAIL_INIT), or NO_DEVICE; 0 when nothing is in the way. */
int settings_fail_init(void);

struct duration {
	int64_t ns, ns_per_block;
};
/* SIMGPU_DURATIONS: the first entry whose text is part of the name; else SIMGPU_KERNEL_NS. */
struct duration settings_duration(const char *name);

#endif
