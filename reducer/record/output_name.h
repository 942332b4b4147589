/* The output directory of a recording, as nsys users name it: %q{ENV} an environment variable, %h
 * the host, %p the pid of `baton record`, %n a number that makes the name new, %% a percent sign.
 */
#ifndef RECORD_OUTPUT_NAME_H
#define RECORD_OUTPUT_NAME_H

#include <stddef.h>

/* Fills path[room]. 0, or -errno: -EINVAL an unknown % or a variable that is not set (told),
 * -ENAMETOOLONG. */
int output_name(const char *pattern, char *path, size_t room);
/* Makes the directory, mode 0700, and those above it. What is in it already: -EEXIST unless
 * `force`, which removes the trace files and the summary of an earlier run and nothing else. 0 or
 * -errno. */
int output_create(const char *path, int force);

#endif
