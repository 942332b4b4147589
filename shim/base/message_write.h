/* One write to the job's stderr that can do it no harm: no SIGPIPE when nobody reads it any more,
 * no waiting when it is full (the line is lost then). */
#ifndef SHIM_MESSAGE_WRITE_H
#define SHIM_MESSAGE_WRITE_H

#include <stddef.h>

void message_write(const char *line, size_t bytes);

#endif
