/* The CPython that is in this process, found and known by its version: 3.8 to 3.13. */
#ifndef SHIM_INTERPRETER_H
#define SHIM_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>

/* Looks for an interpreter in the process, until there is one. Its layout is taken from its
 * version and is proven on the first stack that is met, by reads that cannot fault, before any
 * frame is believed. */
void python_open(void);
/* NULL: in use, or no interpreter here; else why it is not. */
const char *python_why_off(void);

/* The native function that runs Python frames: where native frames meet Python's. NULL: unknown. */
const void *python_loop(size_t *bytes);

/* It is not to be used, and why. */
void python_off(const char *why);
/* Reads memory that may not be there. */
bool python_read_safely(const void *from, void *to, size_t bytes);
#endif
