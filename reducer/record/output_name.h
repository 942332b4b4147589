/* The name of a recording's directory, in the notation of nsys: %q{ENV} is an environment variable,
 * %h the host, %p the pid of `baton record`, %n a number that makes the name new, %% a percent
 * sign. */
#ifndef RECORD_OUTPUT_NAME_H
#define RECORD_OUTPUT_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the name to path[room], with `number` for %n. 0 or -errno: -EINVAL: an unknown % or a
 * variable that is not set (already reported); -ENAMETOOLONG. */
int output_name(const char *pattern, long number, char *path, size_t room);
bool output_name_is_numbered(const char *pattern);

#endif
