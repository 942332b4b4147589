/* What --step-range names: one name, a glob, or a /regular expression/. */
#ifndef CLASSIFY_STEP_RANGE_H
#define CLASSIFY_STEP_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct step_range;

/* `text`: NAME, GLOB or /REGEX/. 0, -ENOMEM, or -EINVAL when the regular expression is none; then
 * `message` says why. */
int step_range_open(const char *text, char *message, int bytes, struct step_range **out);
void step_range_close(struct step_range *range);

/* Does the range with this name mark a step? *number: what the first group of a regular expression
 * holds when that is a number, else -1. */
bool step_range_matches(const struct step_range *range, const char *name, int64_t *number);

#endif
