/* The trace files that the operands of a command name: a file stands for itself, a directory for
 * all its *.baton files in order of name. */
#ifndef READ_PATHS_H
#define READ_PATHS_H

#include <stdbool.h>
#include <stddef.h>

struct paths {
	char **at;
	size_t n;
};

/* Is it NAME.baton, as traces and summaries are called? */
bool paths_is_trace(const char *name);
/* Adds the files of `operand`. `with_summary`: summary.baton too. 0 or -errno. */
int paths_add(struct paths *paths, const char *operand, bool with_summary);
/* A shell's DIR/ *.baton names DIR/summary.baton too: takes such files out if there are
 * others. */
void paths_leave_summaries(struct paths *paths);
void paths_free(struct paths *paths);

#endif
