/* The messages of baton-mpi for the fuzzer: rank 0 of a team of two, whose other rank is what it
 * told in a real reduction, but for one message. */
#ifndef HARD_FUZZ_TEAM_H
#define HARD_FUZZ_TEAM_H

#include <stddef.h>
#include <stdint.h>

/* Reduces the run in `dir` by two processes, and keeps what the second one tells. With `seeds` each
 * message becomes a file there, as an input of team_fuzz(). */
void team_learn(const char *dir, const char *seeds);
/* Reduces it again as rank 0. `data`: which message (one byte), and what it is instead. `seal`
 * gives a summary in it its checksums. */
void team_fuzz(const uint8_t *data, size_t bytes, void (*seal)(uint8_t *data, size_t bytes));

#endif
