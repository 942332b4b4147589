/* Itanium-mangled names as text a rule can read. Not a demangler: it shows every identifier, in
 * order, and the name in front of the first template argument as "scope::base".
 *
 * Why not __cxa_demangle: 270 bytes of nested substitutions make it print 400 MB, and it refuses
 * names over 1 KiB, which CUTLASS exceeds; a trace is not trusted, and its longest names are the
 * ones that matter. */
#ifndef CLASSIFY_MANGLED_H
#define CLASSIFY_MANGLED_H

#include <stddef.h>

/* Writes at most room - 1 bytes and a NUL; returns the bytes written, 0 when the name is not a
 * mangled one. */
size_t mangled_text(const char *name, size_t bytes, char *out, size_t room);

#endif
