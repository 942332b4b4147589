/* regexec for patterns that several threads share. POSIX lets threads match with one compiled
 * pattern, and glibc guards the states that it builds while matching with a lock of its own;
 * ThreadSanitizer cannot see that lock. One of ours around it costs nothing that can be measured: a
 * name is matched once, not once per event. */
#ifndef BATON_MATCH_H
#define BATON_MATCH_H

#include <regex.h>
#include <stdbool.h>

/* groups[n]: where the match and its groups lie, as regexec says it; n may be 0. */
bool match(const regex_t *pattern, const char *text, regmatch_t *groups, size_t n);

#endif
