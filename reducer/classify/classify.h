/* What a kernel does, from its name: group, class, the rule that said so, tensor cores. */
#ifndef CLASSIFY_CLASSIFY_H
#define CLASSIFY_CLASSIFY_H

#include "classify/classes.h"

struct classifier; /* does not change once open: any number of threads may use it at once */

/* taxonomy: NULL or "seed". classes_file: NULL, or rules of the user that are tried first, one a
 * line: PATTERN (a POSIX extended regular expression on the whole name, without blanks), blanks,
 * class; '#' begins a comment line. 0 or -errno; then `message` says what is wrong ("FILE:LINE:
 * what"). */
int classifier_open(const char *taxonomy, const char *classes_file, char *message,
					size_t message_bytes, struct classifier **out);
void classifier_close(struct classifier *classifier);

/* Never fails; any bytes are welcome. The caller caches: a name costs tens of microseconds. */
void classifier_name(const struct classifier *classifier, const char *name, size_t name_bytes,
					 struct kernel_class *out);

/* The second column of `baton classify`: the group, or its name in the seed taxonomy. */
const char *classifier_group_label(const struct classifier *classifier,
								   const struct kernel_class *class);

#endif
