/* regexec() for patterns that threads share. POSIX lets threads match with one compiled pattern,
 * and glibc has a lock of its own around the states that it builds while matching, but
 * ThreadSanitizer cannot see that lock. So this function adds another one. Its cost is not
 * measurable, because a name is matched once, not once per event. */
#ifndef BATON_MATCH_H
#define BATON_MATCH_H

#include <regex.h>
#include <stdbool.h>

/* True when `pattern` matches. groups[n]: the positions of the match and its groups, as in
 * regexec(); n may be 0. */
bool match(const regex_t *pattern, const char *text, regmatch_t *groups, size_t n);

#endif
