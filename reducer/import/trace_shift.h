/* Rewrites a finished trace file with its times moved: all by one constant, those of the GPU's clock
 * by another one too. */
#ifndef IMPORT_TRACE_SHIFT_H
#define IMPORT_TRACE_SHIFT_H

#include <stdint.h>

struct trace_move {
	int64_t all_ns; /* added to every time */
	int64_t gpu_ns; /* added to the times of ops and collectives too */
};

/* Reads the file `from` in the directory `dirfd`, moves its times and writes the result to `fd`,
 * which is closed in any case. The caller has checked that no time leaves the format's range. 0 or
 * -errno. */
int trace_shift(int dirfd, const char *from, int fd, const struct trace_move *move);

#endif
