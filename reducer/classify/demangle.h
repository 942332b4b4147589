/* C++ names as people read them. Names come from a trace and may be anything: what is long, or
 * refers to its own parts so often that printing it could take gigabytes, is shown by its
 * identifiers only (mangled.h). */
#ifndef CLASSIFY_DEMANGLE_H
#define CLASSIFY_DEMANGLE_H

#include <stddef.h>

/* out[room]: the text, cut where it does not fit. A name that is not mangled is copied. */
void demangle(const char *name, char *out, size_t room);

#endif
