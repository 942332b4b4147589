/* Classifies a kernel by its name: group, class, the rule that decided, use of tensor cores. */
#ifndef CLASSIFY_CLASSIFY_H
#define CLASSIFY_CLASSIFY_H

#include "classify/classes.h"

struct user_rules;
struct classifier; /* constant once it is open, so any number of threads may use it */

/* Opens a classifier. `taxonomy`: NULL or "seed". `classes_file`: NULL, or a file of user rules,
 * which are tried first. Each line has a PATTERN (a POSIX extended regular expression, searched in
 * the whole name), blanks, and a class of kernels, or call:, range: or frame: and one of those
 * (docs/ATTRIBUTION.md section 5); '#' begins a comment line. 0 or -errno; after an error `message`
 * says what is wrong ("FILE:LINE: what"). */
int classifier_open(const char *taxonomy, const char *classes_file, char *message,
					size_t message_bytes, struct classifier **out);
void classifier_close(struct classifier *classifier);

/* The user's rules, also those for names that are no kernels'. They live as long as it. */
const struct user_rules *classifier_user_rules(const struct classifier *classifier);

/* Classifies one name, which may be any bytes. Never fails. A name costs tens of microseconds, so
 * the caller should cache the result. */
void classifier_name(const struct classifier *classifier, const char *name, size_t name_bytes,
					 struct kernel_class *out);

/* The second column of `baton classify`: the group, or its name in the seed taxonomy. */
const char *classifier_group_label(const struct classifier *classifier,
								   const struct kernel_class *class);

#endif
