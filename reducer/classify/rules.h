/* The rule tables. Rules are tried in the order of RULES, and within a table from the top; the
 * first one that matches decides. A rule matches when each of its patterns (pattern.h) matches its
 * part of the name; a NULL pattern always matches. Tables of families come first and look at the
 * base identifier. A rule for a generic wrapper names a second table, which is tried on the
 * arguments; if nothing matches there, the wrapper's own class holds. Patterns name families, never
 * a single kernel. */
#ifndef CLASSIFY_RULES_H
#define CLASSIFY_RULES_H

#include "classify/classes.h"

struct rule {
	const char *id; /* stable, printed; NULL ends a table */
	const char *base, *scope, *args, *whole;
	enum class_id class;
	const struct rule *functors; /* tried after this rule matched; NULL: none */
};

/* Rows of the tables. */
#define BASE(id, base, class)                           \
	{                                                   \
		id, base, NULL, NULL, NULL, CLASS_##class, NULL \
	}
#define SCOPE(id, scope, class)                          \
	{                                                    \
		id, NULL, scope, NULL, NULL, CLASS_##class, NULL \
	}
#define WITHIN(id, scope, base, class)                   \
	{                                                    \
		id, base, scope, NULL, NULL, CLASS_##class, NULL \
	}
#define ARGS(id, args, class)                           \
	{                                                   \
		id, NULL, NULL, args, NULL, CLASS_##class, NULL \
	}
#define BASE_ARGS(id, base, args, class)                \
	{                                                   \
		id, base, NULL, args, NULL, CLASS_##class, NULL \
	}
#define WHOLE(id, whole, class)                          \
	{                                                    \
		id, NULL, NULL, NULL, whole, CLASS_##class, NULL \
	}
#define WRAPPER(id, base, functors, class)                  \
	{                                                       \
		id, base, NULL, NULL, NULL, CLASS_##class, functors \
	}
#define SCOPE_WRAPPER(id, scope, base, functors, class)      \
	{                                                        \
		id, base, scope, NULL, NULL, CLASS_##class, functors \
	}
#define END                                             \
	{                                                   \
		NULL, NULL, NULL, NULL, NULL, CLASS_OTHER, NULL \
	}

/* copies and fills that are not kernels, by the whole name */
extern const struct rule RULES_MEMORY[];
extern const struct rule RULES_COMM[];      /* NCCL, RCCL and libraries that replace them */
extern const struct rule RULES_GENERATED[]; /* Triton, XLA and other compilers' names */
extern const struct rule RULES_WRAPPER[];   /* generic wrappers decided by their arguments */
extern const struct rule RULES_DENSE[];     /* attention, convolution, matrix products */
extern const struct rule RULES_CUSTOM[];    /* all other computation, and copy kernels */
/* by scope or by one word, when no other rule matched */
extern const struct rule RULES_FALLBACK[];

#endif
