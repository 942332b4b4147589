/* A device's launches as a sequence of symbols fit for finding what recurs: numbered by first
 * appearance (so that the result does not depend on the caller's numbering), without launches that
 * stand in no recurring context, runs of one symbol taken as one. */
#ifndef STEPS_SEQUENCE_H
#define STEPS_SEQUENCE_H

#include <stddef.h>
#include <stdint.h>

enum { PERIOD_LEAST_STEPS = 3 }; /* what comes less often has no rhythm */

struct launch_mark {
	int64_t launch_ns;
	uint32_t symbol; /* which kernel; any numbering */
	uint32_t order;  /* of those launched at one time, the nodes of a graph; the sorter's own */
};

struct sequence {
	uint32_t *symbol; /* below n_symbols */
	uint32_t *mark;   /* index of the (first) launch it stands for */
	uint32_t n;
	uint32_t n_symbols;
};

/* 0, -ENOMEM, -EOVERFLOW. */
int sequence_build(const struct launch_mark *marks, size_t n_marks, struct sequence *out);
void sequence_free(struct sequence *sequence);

/* ids[i] = the number, by first appearance, of the pair (a[i], b[i]); *n_ids how many differ.
 * `ids` may be `a` or `b`. 0 or -ENOMEM. */
int sequence_pairs(const uint32_t *a, const uint32_t *b, uint32_t n, uint32_t *ids,
				   uint32_t *n_ids);

#endif
