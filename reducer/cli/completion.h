/* Completion for shells, as scripts on stdout, out of the tables of the commands. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stddef.h>

struct command;

/* For `shell`: bash, zsh or fish; all are the n commands of baton. STATUS_USAGE for another. */
int completion_print(const char *shell, const struct command *const *all, size_t n);

#endif
