/* How long a device had been idle by some instant, for what may still be asked: the time in its
 * gaps, and all of it before its first op. Gaps come in order. */
#ifndef ATTRIBUTE_IDLE_CLOCK_H
#define ATTRIBUTE_IDLE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IDLE_CLOCK_GAPS = 512 };

struct idle_clock {
	int64_t first; /* start of the device's first op */
	int64_t total; /* of all gaps so far */
	size_t n;
	struct idle_gap {
		int64_t from, to;
		int64_t before; /* of the gaps before it */
	} at[IDLE_CLOCK_GAPS];
};

/* No room for another gap: some must be forgotten. */
bool idle_clock_full(const struct idle_clock *clock);
void idle_clock_add(struct idle_clock *clock, int64_t from, int64_t to);
/* Nobody asks for an instant before `until` any more. */
void idle_clock_forget(struct idle_clock *clock, int64_t until);
/* Idle time before `at`, from an origin that is the same for all; `at` lies before no gap that was
 * forgotten, nor behind the last op that was seen. */
int64_t idle_clock_at(const struct idle_clock *clock, int64_t at);

#endif
