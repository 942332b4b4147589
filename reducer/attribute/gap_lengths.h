/* The lengths of queued gaps, for their median: a list, and a table of a device that has very many
 * or very long ones. */
#ifndef ATTRIBUTE_GAP_LENGTHS_H
#define ATTRIBUTE_GAP_LENGTHS_H

#include "summary/counts.h"

enum { GAP_LENGTHS_LISTED = 1 << 16 };
_Static_assert(GAP_LENGTHS_LISTED <= COUNTS_EXACT, "the table of as many would be exact");

struct gap_lengths {
	uint32_t *at; /* room for GAP_LENGTHS_LISTED, or NULL */
	size_t n, room;
	struct counts counts; /* instead, with `counted` */
	bool counted;
};

/* The part of gap_lengths_add() for one for which the list has no room. */
int gap_lengths_add_any(struct gap_lengths *lengths, int64_t ns);

/* Adds a length >= 0. 0 or -ENOMEM. */
static inline int gap_lengths_add(struct gap_lengths *lengths, int64_t ns)
{
	if (lengths->n == lengths->room || ns > UINT32_MAX)
		return gap_lengths_add_any(lengths, ns);
	lengths->at[lengths->n++] = (uint32_t)ns;
	return 0;
}

/* By nearest rank; 0 when there is none. */
int64_t gap_lengths_median(const struct gap_lengths *lengths);
/* Forgets all of them. */
void gap_lengths_clear(struct gap_lengths *lengths);
void gap_lengths_free(struct gap_lengths *lengths);

#endif
