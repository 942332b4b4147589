/* Prints completion scripts for shells, made from the tables of the commands. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

#include <stddef.h>

struct command;

/* Prints the script for `shell` (bash, zsh or fish). `all` are the n commands of baton. STATUS_OK,
 * or STATUS_USAGE for another shell. */
int completion_print(const char *shell, const struct command *const *all, size_t n);

#endif
