/* This process's live file (include/baton/live.h): found a place in shared memory, mapped, grown
 * page by page as lanes are opened. The mapping stays until the process ends: hooks of other
 * threads may still look into it. */
#ifndef SHIM_LIVE_H
#define SHIM_LIVE_H

#include "base/identity.h"

#include <baton/live.h>
#include <stdbool.h>

/* NULL: not recording. Only the thread that begins the recording, and the threads that it starts,
 * look at it before it has begun: until then it may go again. */
extern struct baton_live *live;

struct memory_size;

/* The limit that leaves too little for a recording of this size (base/limits.h), NULL: none does. */
const char *live_too_low(const struct memory_size *size, bool cupti_comes);

/* Creates and maps it, as large as memory_size says. `trace` is the path of the trace file. 0 or
 * -errno. */
int live_open(const struct identity *identity, uint32_t generation, const char *trace);
/* Removes the file's name when everything is in the trace file; the mapping stays. */
void live_remove(void);
/* The recording does not begin after all: the file and the mapping go, if there are any. */
void live_undo(void);
/* After live_remove(): the memory of the rings goes back. Who still has one may write into it, even when the
 * file system is full: memory of the process's own stands there. */
void live_release_rings(void);
/* A forked child: what it inherited is its parent's. */
void live_forget(void);

/* Notes for the salvage that CUPTI delivers, so that a launch without a kernel is in flight: as soon
 * as both CUPTI and the recording are there, whichever comes last. Any thread. */
void live_note_gpu(void);

/* The ring of a lane: room for it is granted by the file system before it is touched. 0 or -errno.
 * Any thread. */
int live_ring(struct baton_lane *lane, unsigned index);
/* Room for at least `bytes` of the dictionary arena. The writer thread keeps it ahead of what is
 * used. */
int live_grow_dictionary(uint64_t bytes);

static inline struct baton_lane *live_lane(unsigned index)
{
	return (struct baton_lane *)((char *)live + live->lanes_offset) + index;
}

static inline struct baton_slot *live_slots(const struct baton_lane *lane)
{
	return (struct baton_slot *)((char *)live + lane->offset);
}

static inline char *live_dictionary(void)
{
	return (char *)live + live->dictionary_offset;
}

#endif
