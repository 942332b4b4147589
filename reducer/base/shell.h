/* Words quoted so that a user can paste them into a shell. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include <stddef.h>

enum { SHELL_WORD_BYTES = 4096 };

/* One word, in single quotes where a shell would not read it literally. A word that does not fit is
 * cut. */
struct shell_word {
	char at[SHELL_WORD_BYTES];
};
struct shell_word shell_word(const char *word);

#endif
