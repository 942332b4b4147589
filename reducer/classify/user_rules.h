/* The user's rules (--classes FILE), tried before the built-in ones. */
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

/* Reads the rules of file `path`. 0 or -errno; -EINVAL for a bad line. After an error `message`
 * says "FILE:LINE: what". Call user_rules_free() in any case. */
int user_rules_read(struct user_rules *rules, const char *path, char *message,
					size_t message_bytes);
void user_rules_free(struct user_rules *rules);

/* The first rule whose pattern is found in the name; NULL: none. Names are cut at 64 KiB and at a
 * NUL. */
const struct user_rule *user_rules_find(const struct user_rules *rules, const char *name,
										size_t bytes);

#endif
