/* Another thread's Python frames, read from outside while it may go on: by reads that cannot fault,
 * believed only where all of several looks find the same. For the sampler thread. */
#ifndef SHIM_PYTHON_OUTSIDE_H
#define SHIM_PYTHON_OUTSIDE_H

#include "sources/stacks/python.h"

/* What the calling thread is found by later, NULL when it has no Python. A thread of C that calls
 * into Python has it for as long as the call takes (PyGILState_Ensure to Release); then it may be
 * another's. */
const void *python_this_thread(void);

/* The frames that such a thread was in at all looks, innermost first, with the places of the first
 * look; their code objects are interned.
 * 0: none, torn, or another thread's: `owner` is the pthread_t of the one that is meant. One thread
 * at a time. */
unsigned python_frames_outside(const void *thread, uint64_t owner,
							   struct baton_frame frames[PYTHON_FRAMES],
							   char text[PYTHON_TEXT_BYTES]);

#endif
