/* A device's launches as a sequence of symbols in which recurrences can be found. Symbols are
 * numbered by first appearance, so that the caller's numbering does not matter. Launches whose
 * neighbours never announce them are left out, and a run of one symbol becomes one. */
#ifndef STEPS_SEQUENCE_H
#define STEPS_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

enum { PERIOD_LEAST_STEPS = 3 }; /* what occurs less often has no period */

struct launch_mark {
	int64_t launch_ns;
	uint32_t symbol; /* which kernel, in any numbering */
	/* among the nodes of a graph, which are launched at one time: their order; used by the
	 * sorter */
	uint32_t order;
};

struct step_marks { /* launches, sorted */
	const struct launch_mark *at;
	size_t n;
	uint32_t n_names; /* symbols are below it */
};

struct sequence {
	uint32_t *symbol; /* values are below n_symbols */
	uint32_t *mark;   /* index of the (first) launch that each symbol stands for */
	uint32_t n;
	uint32_t n_symbols;
};

/* Builds the sequence of `marks`. 0, -ENOMEM, or -EOVERFLOW when there are too many. */
int sequence_build(const struct launch_mark *marks, size_t n_marks, struct sequence *out);
void sequence_free(struct sequence *sequence);

/* The first of marks, sorted by launch, that was launched at `ns` or later; n: none. */
size_t sequence_place(const struct launch_mark *marks, size_t n, int64_t ns);

/* ids[i]: the number of the pair (a[i], b[i]), by first appearance; *n_ids: how many different
 * pairs there are. `ids` may be `a` or `b`. 0 or -ENOMEM. */
int sequence_pairs(const uint32_t *a, const uint32_t *b, uint32_t n, uint32_t *ids,
				   uint32_t *n_ids);

#endif
