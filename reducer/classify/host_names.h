/* The table of names that decide a class (docs/ATTRIBUTION.md section 5): calls, ranges, step
 * markers. */
#ifndef CLASSIFY_HOST_NAMES_H
#define CLASSIFY_HOST_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/* the deciding bits, of which the first one that is set wins, and then the others */
enum host_bit {
	HOST_BIT_NO_CORE,
	HOST_BIT_ALLOC,
	HOST_BIT_MODULE_LOAD,
	HOST_BIT_INPUT,
	HOST_BIT_NCCL_HOST,
	HOST_BIT_SYNC,
	HOST_BIT_PROFILER,
	HOST_BIT_QUEUE_FULL,
	HOST_BIT_BLOCKED,
	HOST_BIT_CALL,
	HOST_BITS_DECIDING,
	HOST_BIT_DRIVING = HOST_BITS_DECIDING, /* a GPU-driving call */
	HOST_BIT_GRAPH_LAUNCH,
	HOST_BIT_FREE,  /* the call waits for the device and frees memory */
	HOST_BIT_AWAKE, /* schedstat says that the thread did not sleep */
	HOST_BIT_STEP,  /* a range with the name of a step */
	HOST_BIT_KNOWN  /* for caches: this name has been looked up */
};

#define HOST_MASK(bit) (1u << (bit))

struct host_names;
int host_names_open(struct host_names **out); /* 0 or -ENOMEM */
void host_names_close(struct host_names *names);

/* The HOST_MASK bits of the name of a call or range. `category`: enum baton_range_category. */
uint32_t host_names_call(const struct host_names *names, const char *name);
uint32_t host_names_range(const struct host_names *names, const char *name, int category);

/* The HOST_MASK bit for a silent thread that is in this Python function: HOST_BIT_INPUT, or
 * HOST_BIT_MODULE_LOAD when it compiles; 0: the function decides nothing. */
uint32_t host_names_frame(const struct host_names *names, const char *file, const char *function);

/* Is a silent thread that is in this Python function, and in none that it calls, only waiting for
 * another thread or process to do its part? */
bool host_names_hands_over(const struct host_names *names, const char *file, const char *function);

enum marker_form {
	MARKER_NONE,
	MARKER_TRAINING,
	MARKER_ITERATION,
	MARKER_STEP,
	MARKER_PROFILER_STEP,
	MARKER_NAMED
};

/* Does this range name mark a step, and in which form? *number: the step's number in the name; -1:
 * none. */
enum marker_form host_names_marker(const struct host_names *names, const char *name,
								   int64_t *number);

#endif
