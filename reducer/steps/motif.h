/* Which kernels recur together. A recurrence is a token (a kernel, or a group of kernels in direct
 * succession) with the positions at which it occurs, or at which a burst of its occurrences ends.
 * A motif is a set of recurrences that strictly take turns: each occurs once in every cycle. */
#ifndef STEPS_MOTIF_H
#define STEPS_MOTIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recurrence {
	uint32_t token;
	uint32_t weight; /* occurrences of the token */
	size_t first;    /* its positions: recurrences.at[first .. first + n) */
	uint32_t n;
	bool eligible;
	bool tried;
};

struct recurrences {
	struct recurrence *list;
	size_t n;
	uint32_t *at;
	uint32_t *heaviest;     /* recurrences by weight, heaviest first */
	uint32_t positions;     /* length of the sequence */
	uint32_t span;          /* kernels a token; the caller's, like: */
	const uint32_t *launch; /* which launch a position is; the caller's */
};

struct motif {
	uint32_t *members; /* indices of recurrences, one a token */
	size_t n;
	uint64_t weight;
	unsigned __int128 value; /* weight * weight * weight / cycles */
	uint32_t pivot;          /* the recurrence the others were compared with */
};

/* The recurrences of tokens[0..n), ids below n_tokens; all eligible. launch[i] (kept, not copied):
 * which launch the token at i begins with. 0 or -ENOMEM. */
int recurrences_build(const uint32_t *tokens, uint32_t n, uint32_t n_tokens, const uint32_t *launch,
					  struct recurrences *out);
void recurrences_free(struct recurrences *recurrences);

/* The best motif among the eligible recurrences: the one of the largest value (heavy, and heavy a
 * cycle), or the one with the fewest cycles; of at least so many members. n = 0 when there is none.
 * 0 or -ENOMEM. */
int motif_find(struct recurrences *recurrences, bool rarest, size_t least, struct motif *out);
/* Is motif a the better one: much heavier, else of the larger value. */
bool motif_better(const struct motif *a, const struct motif *b);
void motif_free(struct motif *motif);

#endif
