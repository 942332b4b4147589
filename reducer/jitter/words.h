/* Sentences about late ranks. */
#ifndef JITTER_WORDS_H
#define JITTER_WORDS_H

#include "jitter/print.h"
#include "render/text.h"

struct jitter_words {
	char at[1000];
};

/* The most important thing, one or two sentences. */
void jitter_verdict_words(const struct jitter_printed *printed, const struct screen *screen,
						  struct jitter_words *text);
/* Of one late or early rank: who, how much, why, where. */
void jitter_odd_words(const struct jitter_printed *printed, const struct screen *screen,
					  const struct odd_rank *odd, struct jitter_words *text);
/* What the reader has to know of the numbers: what was left out, what is not known. */
enum { JITTER_NOTES = 5 };
/* False: note `i` does not apply. */
bool jitter_note(const struct jitter_study *study, unsigned i, struct jitter_words *text);

#endif
