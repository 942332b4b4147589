/* Rules of the user (--classes FILE), tried before our own. */
#ifndef CLASSIFY_USER_RULES_H
#define CLASSIFY_USER_RULES_H

#include "classify/classes.h"

#include <regex.h>

struct user_rule {
	regex_t pattern;
	enum class_id class;
	char id[32]; /* "user:LINE" */
};

struct user_rules {
	struct user_rule *rules;
	size_t n;
};

/* 0 or -errno; -EINVAL for a bad line. `message` says "FILE:LINE: what". Whatever was read is for
 * _free. */
int user_rules_read(struct user_rules *rules, const char *path, char *message,
					size_t message_bytes);
void user_rules_free(struct user_rules *rules);

/* The first rule whose pattern is found in the name, or NULL. Names are cut at 64 KiB and at a NUL.
 */
const struct user_rule *user_rules_find(const struct user_rules *rules, const char *name,
										size_t bytes);

#endif
