/* Rewrites a finished trace file with every time moved by a constant. */
#ifndef IMPORT_TRACE_SHIFT_H
#define IMPORT_TRACE_SHIFT_H

#include <stdint.h>

/* Reads the file `from` in the directory `dirfd`, adds `delta_ns` to every time and writes the
 * result to `fd`, which is closed in any case. The caller has checked that no time leaves the
 * format's range. 0 or -errno. */
int trace_shift(int dirfd, const char *from, int fd, int64_t delta_ns);

#endif
