/* One line on stderr while something takes long: what, how much of it is done, how fast, how long
 * it still takes. Only on a terminal, from half a second after the first stage of the process on;
 * it is erased at the end. Nothing is printed where stderr is no terminal, and after --quiet. */
#ifndef BASE_PROGRESS_H
#define BASE_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

/* A stage begins, in the place of the one before. `what`: "reduce runs/4gpu"; `unit`: "files",
 * "GPUs"; NULL: bytes. `total` 0: not known. One thread begins and ends stages. */
void progress_begin(const char *what, const char *unit, uint64_t total);
/* There is so much more to do. */
void progress_expect(uint64_t more);
/* So much more is done; so much is done in all. Any thread; they do nothing outside of a stage. */
void progress_add(uint64_t more);
void progress_reach(uint64_t done);
/* The stage is over; its line is erased. */
void progress_end(void);

/* For good: no line is shown. */
void progress_silence(void);

/* Erases the line and keeps it away until progress_release(): something else is printed. */
void progress_hold(void);
void progress_release(void);

struct progress_state {
	const char *what, *unit;
	uint64_t done, total;
	int64_t elapsed_ns;
};
/* "reduce runs/x   61 %   587 of 960 GPUs   312/s   1.2 s left". Returns `text`. */
const char *progress_text(const struct progress_state *state, char *text, size_t bytes);

#endif
