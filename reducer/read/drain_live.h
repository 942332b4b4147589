/* Adds what a killed process left in its live file to its trace file: the slots after the last
 * checkpoint, the dictionary, the losses and an end block. The new trace is written beside the old
 * one and replaces it when it is complete, so an interrupted salvage can be repeated. */
#ifndef READ_DRAIN_LIVE_H
#define READ_DRAIN_LIVE_H

#include <stdint.h>

struct drained {
	uint64_t slots;    /* slots that only the live file had: after an error it still has them */
	uint64_t launches; /* kernel launches of the whole process, dropped ones included */
	/* launches, and other slots, for which there was no room and which the trace did not count */
	uint64_t dropped_launches, dropped_others;
	uint64_t gpu_dropped; /* GPU records that were delivered and could not be written */
	uint64_t in_flight;   /* kernels whose GPU record was never delivered */
	uint64_t bad_rings;   /* rings that say what cannot be: nothing of them was taken */
	uint64_t bad_slots;   /* slots of other rings likewise */
};

/* `live_fd`: a live file whose process has ended, open for reading. `trace`: the path in its
 * header, or the place to which the trace file was moved. 0; -EBADMSG: not a live file of this
 * build, or damaged; -ENOENT: the trace file is gone; or another -errno. For a live file marked as
 * closed (its trace has everything) nothing is done, and the result is 0. */
int drain_live_file(int live_fd, const char *trace, struct drained *drained);

#endif
