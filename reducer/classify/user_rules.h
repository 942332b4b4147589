/* The user's rules (--classes FILE), tried before the built-in ones. */
#ifndef CLASSIFY_USER_RULES_H
#define CLASSIFY_USER_RULES_H

#include "classify/classes.h"

#include <regex.h>
#include <stdint.h>

/* What the names of a rule are of. */
enum user_names { USER_KERNELS, USER_CALLS, USER_RANGES, USER_FRAMES };

struct user_rule {
	regex_t pattern;
	enum user_names of;
	enum class_id class; /* of kernels */
	uint32_t mask;       /* of the others: HOST_MASK bits; 0: of no class */
	char id[32];         /* "user:LINE" */
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

struct user_name {
	enum user_names of;
	const char *at;
	size_t bytes;
};

/* The first rule for such names whose pattern is found in this one; NULL: none. Names are cut at
 * 64 KiB and at a NUL. */
const struct user_rule *user_rules_find(const struct user_rules *rules,
										const struct user_name *name);

#endif
