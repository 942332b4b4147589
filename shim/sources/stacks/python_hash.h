/* What the calling thread's Python stack is known by on the launch path: a hash of one word a frame.
 * Most of the stack is the one that the thread showed last, so what was read of each frame is
 * remembered, with the hash of it and all outside it: what is the same is compared, not hashed. */
#ifndef SHIM_PYTHON_HASH_H
#define SHIM_PYTHON_HASH_H

#include <stdbool.h>
#include <stdint.h>

/* False: this thread runs no Python. */
bool python_hash(uint64_t *hash);

/* A hash of `hash` and what else a stack is known by. */
uint64_t python_fold(uint64_t hash, uint64_t word);

/* What stands for a code object and the instruction at `offset`. */
uint64_t python_code_word(const uint8_t *code, uint64_t offset);

#endif
