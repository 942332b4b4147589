/* For how long a device had run nothing that a synchronising call can owe for (docs/ATTRIBUTION.md
 * section 4.3): the device was idle, or ran only NCCL ops that waited for other ranks. */
#ifndef ATTRIBUTE_UNOWED_CLOCK_H
#define ATTRIBUTE_UNOWED_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNOWED_CLOCK_SPANS = 512 };

/* Spans are added in order of time. Those that follow one another without a break are one. Old ones
 * are forgotten when no later question can need them. The time before the device's first op counts
 * as unowed. */
struct unowed_clock {
	int64_t first; /* start of the device's first op */
	int64_t total; /* length of all spans so far */
	size_t n;
	struct unowed_span {
		int64_t from, to;
		int64_t before; /* length of the spans before this one */
	} at[UNOWED_CLOCK_SPANS];
};

/* True when there is no room for another span: call unowed_clock_forget() first. */
static inline bool unowed_clock_full(const struct unowed_clock *clock)
{
	return clock->n == UNOWED_CLOCK_SPANS;
}

static inline void unowed_clock_add(struct unowed_clock *clock, int64_t from, int64_t to)
{
	struct unowed_span *last = clock->n ? &clock->at[clock->n - 1] : NULL;
	if (last && last->to == from)
		last->to = to;
	else
		clock->at[clock->n++] = (struct unowed_span){from, to, clock->total};
	clock->total += to - from;
}

/* Forgets the spans that ended by `until`. No later question may be about an instant before
 * `until`. */
void unowed_clock_forget(struct unowed_clock *clock, int64_t until);
/* Unowed ns before `at`, counted from the device's first op (negative before it). `at` must not lie
 * before a forgotten span, nor after the time up to which all spans have been added. */
int64_t unowed_clock_at(const struct unowed_clock *clock, int64_t at);

#endif
