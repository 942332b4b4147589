/* The parts of a kernel's name that rules look at: its scope, its base identifier, its arguments.
 *
 *   void at::native::(anonymous namespace)::foo_kernel<float, at::bar<4> >(int) [clone .kd]
 *        scope "at::native"                 base        arguments: everything after it
 *
 * Names come from anywhere (nsys, nvprof, Kineto, CUPTI's mangled ones, tables that cut them
 * short); nothing here fails, allocates or recurses. */
#ifndef CLASSIFY_IDENTIFIER_H
#define CLASSIFY_IDENTIFIER_H

#include "classify/pattern.h"

enum { IDENTIFIER_TEXT = 16384 };

struct identifier {
	size_t n; /* of `text`: the name as C++ text, cut at IDENTIFIER_TEXT - 1 bytes */
	char text[IDENTIFIER_TEXT];
	struct folded whole;
	struct folded scope; /* namespaces and classes, "::" between them, without their arguments */
	struct folded base;  /* "foo_kernel"; when that is just "kernel", its class or namespace stands
							before it */
	size_t base_at, base_bytes; /* where the identifier of the base stands in `text` */
	struct folded args;         /* template arguments, parameters, what follows */
};

void identifier_parse(struct identifier *out, const char *name, size_t bytes);

#endif
