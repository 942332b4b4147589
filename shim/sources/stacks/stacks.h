/* Answers ring/stack.h: the calling thread's Python frames (python.c) and native frames (native.c),
 * de-duplicated by XXH3-64 and written once as a stack record. */
#ifndef SHIM_STACKS_H
#define SHIM_STACKS_H

#include "base/config.h"

/* Finds the interpreter and the unwinder. May be called again (a Python that is loaded later):
 * cheap when there is nothing new. What cannot be used is off, with one line on stderr when it was
 * asked for
 * (`why_off`: NULL or the reason). */
void stacks_open(enum stacks_mode mode);
const char *stacks_why_off(void);
/* In a forked child, before its first stack: the ids that the parent gave are not in the child's
 * dictionary. */
void stacks_forget(void);

#endif
