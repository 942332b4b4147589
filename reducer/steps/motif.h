/* Finds the kernels that recur together. A recurrence is a token (a kernel, or several kernels in
 * direct succession) with the positions at which it occurs, or at which bursts of it end. A motif
 * is a set of recurrences that strictly take turns: each occurs once in every cycle. */
#ifndef STEPS_MOTIF_H
#define STEPS_MOTIF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recurrence {
	uint32_t token;
	uint32_t weight; /* number of occurrences of the token */
	size_t first;    /* its positions are recurrences.at[first .. first + n) */
	uint32_t n;
	bool eligible;
	bool tried;
};

struct recurrences {
	struct recurrence *list;
	size_t n;
	uint32_t *at;
	uint32_t *heaviest;     /* indices of recurrences, heaviest first */
	uint32_t positions;     /* length of the sequence */
	uint32_t span;          /* kernels per token; set by the caller */
	const uint32_t *launch; /* per position: the launch; owned by the caller */
};

struct motif {
	uint32_t *members; /* indices of recurrences, one per token */
	size_t n;
	uint64_t weight;
	unsigned __int128 value; /* weight * weight * weight / cycles */
	uint32_t pivot;          /* the recurrence with which the others were compared */
};

/* Finds the recurrences of tokens[0..n), whose ids are below n_tokens; all are eligible. launch[i]:
 * the launch with which the token at i begins; the array is kept, not copied. 0 or -ENOMEM. */
int recurrences_build(const uint32_t *tokens, uint32_t n, uint32_t n_tokens, const uint32_t *launch,
					  struct recurrences *out);
void recurrences_free(struct recurrences *recurrences);

/* Finds the best motif of at least `least` members among the eligible recurrences: the one with the
 * largest value (heavy in total and per cycle), or with `rarest` the one with the fewest cycles.
 * out->n is 0 when there is none. 0 or -ENOMEM. */
int motif_find(struct recurrences *recurrences, bool rarest, size_t least, struct motif *out);
/* Is motif a better than motif b? The much heavier one is, else the one with the larger value. */
bool motif_better(const struct motif *a, const struct motif *b);
void motif_free(struct motif *motif);

#endif
