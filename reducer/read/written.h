/* What is known of traces that are still being written: by whom, and until when. */
#ifndef READ_WRITTEN_H
#define READ_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

/* Is `name`, BOOT8.PID.STARTTIME.GEN.baton, the trace of a process of this boot that is not here any
 * more? One in another pid namespace (a container's) looks gone too. */
bool written_by_gone(const char *name);
/* The time (CLOCK_REALTIME) of the last write to the trace that was not written to for longest, of
 * those that are not closed and whose process is not gone: what came before is on disk. `most_ns`
 * when it is later than that, or there is no such trace. */
int64_t written_to(const char *directory, int64_t most_ns);

#endif
