/* What the shim has to tell the user: a line on stderr that begins with "baton: ", by one write().
 * No stdio, no malloc. At most a few lines in a process's life; BATON_VERBOSE=1 adds those of
 * message_detail(). */
#ifndef SHIM_MESSAGE_H
#define SHIM_MESSAGE_H

#include <stddef.h>

__attribute__((format(printf, 1, 2))) void message(const char *format, ...);
__attribute__((format(printf, 1, 2))) void message_detail(const char *format, ...);
/* One write to the job's stderr that can do it no harm: no SIGPIPE when nobody reads it any more,
 * no waiting when it is full (the line is lost then). */
void message_write(const char *line, size_t bytes);

#endif
