/* What the trace and stderr say of a recording's window (window.h). By the writer thread; without a
 * window nothing. */
#ifndef SHIM_WINDOW_NOTES_H
#define SHIM_WINDOW_NOTES_H

/* That there is one: from the start, for a process that is killed while it waits. */
void window_note(void);
/* When it opened, if it did. */
void window_note_begin(void);
void window_note_end(void);
/* The trace is closed and the process goes on: a line on stderr. */
void window_say(void);

#endif
