/* The stage on which a section plays: options of the run, the context, two streams, our kernels. */
#ifndef PROBE_WORK_H
#define PROBE_WORK_H

#include "driver.h"

#include <stdbool.h>

enum { WORK_BYTES = 64 << 20 };

struct options {
	const char *out, *driver, *cupti; /* cupti: the one that answered, NULL when none did */
	bool quick;                       /* few iterations: the logic, not the numbers */
	double limit_s;
	int timeout_s; /* 0: each section's own */
};

struct work {
	void *context, *stream, *other, *empty, *spin, *write;
	uint64_t memory; /* WORK_BYTES on the device, 0 when there is none */
	int device;
};

extern struct options options;
extern struct work work;

/* How often something is repeated: `full`, less with options.quick. */
int work_repeats(int full);

bool work_init(void);       /* libcuda and cuInit; opens CUPTI when there is one */
bool work_init_plain(void); /* the same without CUPTI */
bool work_begin(void);      /* context, streams, kernels; after CUPTI was attached */
bool work_cupti(void);      /* false with a message when CUPTI is not open */

/* One launch, no message: these are timed. */
int work_empty(void *stream);
int work_spin(void *stream, uint64_t ns);
int work_write(void *stream);
bool work_sync(void);

/* n launches of the empty kernel as a graph, ready to launch; NULL with a message. */
void *work_graph(int n);

/* Saves what was seen so far as OUT/fixtures/NAME.fixture. */
void work_fixture(const char *name, const char *what);

#endif
