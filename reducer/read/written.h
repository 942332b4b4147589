/* What is known of traces that are still being written: by whom, and until when. */
#ifndef READ_WRITTEN_H
#define READ_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

/* Is `name`, BOOT8.PID.STARTTIME.GEN.baton, the trace of a process of this boot that is not here any
 * more? One in another pid namespace (a container's) looks gone too. */
bool written_by_gone(const char *name);
/* Has each trace of the directory been written to after `at_ns` (CLOCK_REALTIME), or is it closed, or
 * its process gone, so that nothing of what came before is still to come? */
bool written_until(const char *directory, int64_t at_ns);

#endif
