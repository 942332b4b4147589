/* Rewrites a finished trace file with every time moved by a constant. */
#ifndef IMPORT_TRACE_SHIFT_H
#define IMPORT_TRACE_SHIFT_H

#include <stdint.h>

/* Reads `from` (in directory dirfd), writes the moved file to `fd`, which is closed in any case. 0
 * or -errno. The caller has made sure that no time leaves the format's range. */
int trace_shift(int dirfd, const char *from, int fd, int64_t delta_ns);

#endif
