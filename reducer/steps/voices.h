/* Voices: each says when something recurs. A voice is a token (a kernel, or a group of kernels in
 * direct succession) with the positions at which it occurs, or at which a burst of its occurrences
 * ends. Voices that strictly take turns form a choir: they all occur once in each cycle. */
#ifndef STEPS_VOICES_H
#define STEPS_VOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct voice {
	uint32_t token;
	uint32_t weight; /* occurrences of the token */
	size_t first;    /* its positions: voices.at[first .. first + n) */
	uint32_t n;
	bool eligible;
	bool tried;
};

struct voices {
	struct voice *list;
	size_t n;
	uint32_t *at;
	uint32_t *heaviest;     /* voices by weight, heaviest first */
	uint32_t positions;     /* length of the sequence */
	uint32_t span;          /* kernels a token; the caller's, like: */
	const uint32_t *launch; /* which launch a position is; the caller's */
};

struct choir {
	uint32_t *members; /* indices of voices, one a token */
	size_t n;
	uint64_t weight;
	unsigned __int128 value; /* weight * weight * weight / cycles */
	uint32_t pivot;          /* the voice the others were compared with */
};

/* The voices of tokens[0..n), ids below n_tokens; all eligible. launch[i] (kept, not copied): which
 * launch the token at i begins with. 0 or -ENOMEM. */
int voices_build(const uint32_t *tokens, uint32_t n, uint32_t n_tokens, const uint32_t *launch,
				 struct voices *out);
void voices_free(struct voices *voices);

/* The best choir among the eligible voices: the one of the largest value (heavy, and heavy a
 * cycle), or the one with the fewest cycles; of at least so many members. n = 0 when there is none.
 * 0 or -ENOMEM. */
int voices_choir(struct voices *voices, bool rarest, size_t least, struct choir *out);
/* Is choir a the better one: much heavier, else of the larger value. */
bool choir_better(const struct choir *a, const struct choir *b);
void choir_free(struct choir *choir);

#endif
