/* What a process left in its live file when it was killed, added to its trace file: the slots
 * beyond the last checkpoint, the dictionary, the losses, an end block. The trace is written anew
 * beside the old one and takes its place when it is whole, so a salvage that is interrupted can be
 * repeated. */
#ifndef READ_DRAIN_LIVE_H
#define READ_DRAIN_LIVE_H

#include <stdint.h>

struct drained {
	uint64_t slots;     /* rows that only the live file had */
	uint64_t launches;  /* kernel launches of the whole process, lost ones too */
	uint64_t dropped;   /* slots that had found no room */
	uint64_t in_flight; /* kernels whose GPU record never came */
};

/* `live_fd`: a live file whose process is gone, open for reading; `trace`: the path in its header,
 * or where that file has been moved since. 0; -EBADMSG: not a live file of this build (or damaged);
 * -ENOENT: the trace file is gone; other -errno. A live file that is closed (all of it is in the
 * trace) is no error: nothing is done. */
int drain_live_file(int live_fd, const char *trace, struct drained *drained);

#endif
