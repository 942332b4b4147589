/* Whose code a Python file is: the project's, or a library's (docs/ATTRIBUTION.md section 8). */
#ifndef STACKS_ORIGIN_H
#define STACKS_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

enum origin { ORIGIN_UNKNOWN, ORIGIN_PROJECT, ORIGIN_LIBRARY };

/* The file and function of a Python frame. `module` (room bytes) gets the library's name: "torch",
 * "python" for the standard library; of the project the file itself. */
enum origin origin_of(const char *file, const char *function, char *module, size_t room);

/* A Python frame as Kineto prints it, "FILE(LINE): FUNCTION": as "FILE:LINE FUNCTION" in `line`
 * (room bytes). ORIGIN_UNKNOWN: it names no file. */
enum origin origin_of_range(const char *name, char *line, char *module, size_t room);

#endif
