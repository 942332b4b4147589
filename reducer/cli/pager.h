/* The pager of commands that print much, as git has it. */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include <stdbool.h>

/* Leaves it out, whatever the environment says. */
void pager_refuse(void);
/* Where stdout is a terminal: from here on stdout, and stderr where it is one too, lead to
 * BATON_PAGER, PAGER or less. Nothing happens without a terminal, with a pager that is "" or "cat",
 * or the second time. No line of progress is shown after it. At its end the process waits until the
 * person has read all. */
void pager_begin(void);
bool pager_is_on(void);

#endif
