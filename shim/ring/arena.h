/* What the writer thread has taken of the dictionary's arena (dict.h). A thread may lose its core
 * between taking the room of a record and finishing it: that one is passed over and comes when it
 * is there, so that what others have named since is in the trace before it is used. Only a thread
 * that stops in the few instructions before it can note the record's size holds up the others. */
#ifndef SHIM_ARENA_H
#define SHIM_ARENA_H

#include <stdbool.h>
#include <stdint.h>

void arena_forget(void);

/* A finished record that was not taken yet, NULL: there is none. `last`: nobody will finish one any
 * more. */
struct baton_record *arena_next(bool last);

/* All in front of it is taken; of what is behind it some may be. */
uint64_t arena_taken(void);
/* All behind it is not. */
uint64_t arena_seen(void);

#endif
