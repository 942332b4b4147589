/* The table of names that decide a class (docs/ATTRIBUTION.md section 5): calls, ranges, step
 * markers. */
#ifndef CLASSIFY_HOST_NAMES_H
#define CLASSIFY_HOST_NAMES_H

#include "classify/host_classes.h"

#include <stdbool.h>
#include <stdint.h>

struct host_names;
struct user_rules;
/* `user`: rules of the user's, tried first, which must outlive the names; or NULL. 0 or -ENOMEM. */
int host_names_open(const struct user_rules *user, struct host_names **out);
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
