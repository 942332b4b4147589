/* How far the writer thread has taken the dictionary's arena (dict.h). A thread may lose its core
 * between reserving the room of a record and finishing it. The writer passes such a record over
 * and takes it once it is finished, so that names given since then are in the trace before they
 * are used. Only a thread that stops in the few instructions before it has noted the record's size
 * holds up the others. */
#ifndef SHIM_ARENA_H
#define SHIM_ARENA_H

#include <stdbool.h>
#include <stdint.h>

void arena_forget(void);

/* A finished record that was not taken yet, NULL when there is none. `last`: no thread will finish
 * one any more. */
struct baton_record *arena_next(bool last);

/* Everything before this offset is taken; after it some records may be. */
uint64_t arena_taken(void);
/* Nothing after this offset is. */
uint64_t arena_seen(void);

#endif
