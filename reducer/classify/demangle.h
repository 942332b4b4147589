/* Demangles C++ names for people. Names come from a trace and may be anything. A name that is too
 * long, or that refers to its own parts so often that printing it could take gigabytes, is shown by
 * its identifiers only. */
#ifndef CLASSIFY_DEMANGLE_H
#define CLASSIFY_DEMANGLE_H

#include <stddef.h>

/* Writes the text of `name` to out[room], cut to fit. A name that is not mangled is copied. */
void demangle(const char *name, char *out, size_t room);

/* A mangled name as text a rule can read. Not a demangler: it shows every identifier, in order, and
 * the name before the first template argument as "scope::base".
 *
 * Why not __cxa_demangle: 270 bytes of nested substitutions make it print 400 MB, and it refuses
 * names over 1 KiB, which CUTLASS exceeds; a trace is not trusted, and its longest names are the
 * ones that matter.
 *
 * Writes at most room - 1 bytes and a NUL; returns the bytes written, 0 when the name is not a
 * mangled one. */
size_t mangled_text(const char *name, size_t bytes, char *out, size_t room);

#endif
