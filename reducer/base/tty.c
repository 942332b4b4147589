#include "base/tty.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static enum tty_colour chosen = TTY_COLOURS; /* nothing was */
static int paged_columns;                    /* 0: there is no pager */

enum tty_colour tty_colour_named(const char *word)
{
	static const char *const words[TTY_COLOURS] = {"auto", "always", "never"};
	enum tty_colour colour = TTY_AUTO;
	while (colour < TTY_COLOURS && strcmp(words[colour], word) != 0)
		colour++;
	return colour;
}

void tty_colour_choose(enum tty_colour colour)
{
	chosen = colour;
}

/* NO_COLOR counts when it is set and not empty (no-color.org). A terminal that is 'dumb' has none. */
static bool may_have_colours(void)
{
	const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");
	return !(no && no[0]) && !(kind && strcmp(kind, "dumb") == 0);
}

bool tty_is_coloured(int fd)
{
	const char *wanted = getenv("BATON_COLOR");
	enum tty_colour colour = chosen;
	if (colour == TTY_COLOURS && wanted)
		colour = tty_colour_named(wanted);
	if (colour == TTY_ALWAYS || colour == TTY_NEVER)
		return colour == TTY_ALWAYS;
	return tty_is_read(fd) && may_have_colours();
}

void tty_page(int columns)
{
	paged_columns = columns;
}

bool tty_is_paged(void)
{
	return paged_columns != 0;
}

bool tty_is_read(int fd)
{
	return isatty(fd) || (paged_columns && (fd == STDOUT_FILENO || fd == STDERR_FILENO));
}

int tty_columns(int fd)
{
	struct winsize size;
	if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0)
		return size.ws_col;
	return tty_is_read(fd) ? paged_columns : 0;
}
