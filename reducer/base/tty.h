/* What stands at the other end of an output: a terminal, perhaps behind a pager, and whether it is
 * to have colours. */
#ifndef BASE_TTY_H
#define BASE_TTY_H

#include <stdbool.h>

enum tty_colour { TTY_AUTO, TTY_ALWAYS, TTY_NEVER, TTY_COLOURS };
/* "auto", "always", "never"; TTY_COLOURS: it is none of them. */
enum tty_colour tty_colour_named(const char *word);
/* What --color said; it wins over BATON_COLOR, and that over NO_COLOR. */
void tty_colour_choose(enum tty_colour colour);
bool tty_is_coloured(int fd);

/* From here on stdout and stderr lead to a pager on a terminal of so many columns. */
void tty_page(int columns);
bool tty_is_paged(void);
/* Does a person read it? */
bool tty_is_read(int fd);
/* Its columns; 0: it is no terminal. */
int tty_columns(int fd);

#endif
