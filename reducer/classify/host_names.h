/* The one table of names that decide a class (docs/ATTRIBUTION.md section 5): calls, ranges, step
 * markers. */
#ifndef CLASSIFY_HOST_NAMES_H
#define CLASSIFY_HOST_NAMES_H

#include <stdbool.h>
#include <stdint.h>

enum host_bit { /* in the order in which the first match wins, then the bits that decide nothing by
				   themselves */
				HOST_BIT_ALLOC,
				HOST_BIT_MODULE_LOAD,
				HOST_BIT_INPUT,
				HOST_BIT_NCCL_HOST,
				HOST_BIT_NO_CORE,
				HOST_BIT_SYNC,
				HOST_BIT_PROFILER,
				HOST_BIT_QUEUE_FULL,
				HOST_BIT_BLOCKED,
				HOST_BIT_CALL,
				HOST_BITS_DECIDING,
				HOST_BIT_DRIVING = HOST_BITS_DECIDING, /* a GPU-driving call */
				HOST_BIT_GRAPH_LAUNCH,
				HOST_BIT_FREE,  /* it waits for the device and gives memory back */
				HOST_BIT_AWAKE, /* schedstat says that the thread did not sleep */
				HOST_BIT_KNOWN  /* for caches: this name has been looked at */
};

#define HOST_MASK(bit) (1u << (bit))

struct host_names;
int host_names_open(struct host_names **out); /* 0 or -ENOMEM */
void host_names_close(struct host_names *names);

/* HOST_MASK bits of a call's or a range's name; category is enum baton_range_category. */
uint32_t host_names_call(const struct host_names *names, const char *name);
uint32_t host_names_range(const struct host_names *names, const char *name, int category);

/* HOST_MASK bit of a Python function that a silent thread is in: HOST_BIT_INPUT,
 * HOST_BIT_MODULE_LOAD (it compiles); 0: it says nothing. */
uint32_t host_names_frame(const struct host_names *names, const char *file, const char *function);

enum marker_form { MARKER_NONE, MARKER_ITERATION, MARKER_STEP, MARKER_PROFILER_STEP, MARKER_NAMED };

/* Does this range name mark a step? `step_range`: the name given with --step-range, or NULL.
 * *number is -1 when the marker has none. */
enum marker_form host_names_marker(const struct host_names *names, const char *name,
								   const char *step_range, int64_t *number);

#endif
