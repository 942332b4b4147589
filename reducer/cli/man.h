/* Prints the manual pages in man(7) format, made from the tables of the commands. */
#ifndef CLI_MAN_H
#define CLI_MAN_H

#include <stddef.h>

struct command;

/* Prints baton-NAME.1. `all` are the n commands of baton; the pages refer to each other. */
void man_command(const struct command *, const struct command *const *all, size_t n);
void man_baton(const struct command *const *all, size_t n); /* baton.1 */

#endif
