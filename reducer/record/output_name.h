/* The name of a recording's directory, as nsys users write it: %q{ENV} an environment variable, %h
 * the host, %p the pid of `baton record`, %n a number that makes the name new, %% a percent sign.
 */
#ifndef RECORD_OUTPUT_NAME_H
#define RECORD_OUTPUT_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Fills path[room], %n being `number`. 0, or -errno: -EINVAL an unknown % or a variable that is not
 * set (told), -ENAMETOOLONG. */
int output_name(const char *pattern, long number, char *path, size_t room);
bool output_name_is_numbered(const char *pattern);

#endif
