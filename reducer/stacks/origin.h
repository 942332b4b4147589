/* Tells whether a Python file is the project's own code or a library's (docs/ATTRIBUTION.md section
 * 8). */
#ifndef STACKS_ORIGIN_H
#define STACKS_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>

enum origin { ORIGIN_UNKNOWN, ORIGIN_PROJECT, ORIGIN_LIBRARY };

/* The origin of a Python frame, by its file and function. `module` (`room` bytes) gets the name of
 * the library, such as "torch" ("python" for the standard library), or for the project's own code
 * the file. */
enum origin origin_of(const char *file, const char *function, char *module, size_t room);

/* The same for a Python frame as Kineto prints it, "FILE(LINE): FUNCTION". `line` (`room` bytes)
 * gets "FILE:LINE FUNCTION". ORIGIN_UNKNOWN when it names no file. */
enum origin origin_of_range(const char *name, char *line, char *module, size_t room);

/* The length of "DIR/" where the file is of a torch that is installed in DIR; 0: it is not, or DIR is
 * one that its name tells (site-packages). */
size_t origin_torch_root(const char *file);

#endif
