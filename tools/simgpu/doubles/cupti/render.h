/* One activity record before it is bytes, and the bytes of it in this release. */
#ifndef SIMGPU_DOUBLES_CUPTI_RENDER_H
#define SIMGPU_DOUBLES_CUPTI_RENDER_H

#include "doubles/cupti/clock.h"
#include "doubles/cupti/cupti.h"
#include "doubles/observe.h"
#include <stdbool.h>

struct entry_api {
	uint32_t cbid, thread, correlation;
	int32_t result;
	uint64_t start, end; /* stamps */
};
struct entry_external {
	uint32_t kind, correlation;
	uint64_t id;
};
struct entry_overhead {
	uint32_t kind, thread;
	uint64_t start, end; /* stamps */
};
struct entry_context {
	uint32_t id, device;
};
struct entry_device {
	uint32_t id;
	const char *name;
	char uuid[16];
};
struct entry_event {
	uint32_t correlation, context, stream, event;
};

struct entry {
	enum kind kind;
	bool done; /* all is known; else it waits for a device */
	bool gone; /* nothing comes of it: the call failed or was captured */
	union {
		struct sim_record op; /* kernels, copies, sets, whole graphs */
		struct sim_sync sync;
		struct entry_api api;
		struct entry_external external;
		struct entry_overhead overhead;
		struct entry_context context;
		struct entry_device device;
		struct entry_event event;
	};
};

/* 0: no record of that kind is made. */
uint32_t render_bytes(uint32_t kind);
/* An entry that is not done has its times 0. */
void render(uint8_t *record, const struct entry *entry, const struct clock_line *line);

#endif
