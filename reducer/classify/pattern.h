/* Text folded for matching, and the small pattern language of the rule tables.
 *
 * Folding makes the spellings of one word equal: upper case becomes lower case, and '_' and blanks
 * are removed, so that "AllReduce", "all_reduce" and "allreduce" are the same bytes. The places
 * where a word began are kept beside them: at a capital, after '_' or punctuation, and between a
 * letter and a digit.
 *
 * A pattern is a list of alternatives with blanks between them. It matches when one of them does:
 *   allreduce      is contained anywhere
 *   =lamb          the same, but only as whole words ("lamb", not "lambda")
 *   ^flash         is at the start
 *   kernel$        is at the end
 *   topk*softmax   the parts are contained in this order
 *   !dequant       a veto: the whole pattern fails where this one matches
 * The signs combine: "^=bn", "!^=pa". A pattern of vetoes alone matches when none of them does. */
#ifndef CLASSIFY_PATTERN_H
#define CLASSIFY_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

enum { FOLDED_ROOM = 8192 }; /* longer text is cut, because names that long repeat themselves */

struct folded {
	size_t n;
	char text[FOLDED_ROOM];   /* NUL-terminated, no NUL inside */
	bool starts[FOLDED_ROOM]; /* a word begins here; starts[n] is true */
};

void folded_clear(struct folded *folded);
void folded_append(struct folded *folded, const char *text, size_t bytes);

/* The pattern must come from a rule table: it is not checked. The time is at most proportional to
 * the length of the pattern times that of the text. */
bool pattern_matches(const char *pattern, const struct folded *folded);

#endif
