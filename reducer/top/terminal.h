/* The terminal of a live screen: entered, drawn on without flicker, and given back as it was on
 * every way out, signals included. There is one, which belongs to the process. */
#ifndef TOP_TERMINAL_H
#define TOP_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

/* May it be drawn on: are stdin and stdout terminals, which know how to move the cursor? */
bool terminal_is_live(void);
/* Does TERM name a terminal that knows it? */
bool terminal_can_draw(void);
/* Single keys, no echo, the other screen, no cursor. From here on SIGINT, SIGTERM, SIGHUP, SIGQUIT,
 * SIGTSTP, SIGCONT and SIGWINCH are read from terminal_signals(); one that was ignored stays so. 0 or
 * -errno. */
int terminal_enter(void);
/* As it was before terminal_enter(). It may be called twice. */
void terminal_leave(void);
/* Gives a terminal back that another process, which was killed, has entered. */
void terminal_restore(int fd, const struct termios *modes);
/* A descriptor that can be read when a signal came. */
int terminal_signals(void);
/* The next signal that came; 0: none. */
int terminal_signal(void);
/* Stops the process as Ctrl-Z does elsewhere, and takes the terminal again when it goes on. */
void terminal_stop(void);
/* Takes the terminal again: somebody else may have used it. */
void terminal_again(void);
/* Its size has changed: all is drawn anew. */
void terminal_resized(void);
/* How large it is now; 24 lines of 80 columns where it does not say. */
void terminal_size(int *width, int *height);
/* Shows lines, cut at its height; those that are as they were are not written. 0 or -errno. */
int terminal_show(const char *text);

#endif
