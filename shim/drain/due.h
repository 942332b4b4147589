/* What is still due when a recording's window has ended: calls that have not returned, and GPU
 * work of recorded calls, as far as calls and ops match one to one. Of the writer thread. */
#ifndef SHIM_DUE_H
#define SHIM_DUE_H

#include <stdbool.h>
#include <stdint.h>

struct baton_drain;

struct due {
	uint64_t calls;   /* that have not returned */
	uint64_t kernels; /* without a graph */
	uint64_t graphs;  /* launches of which nothing has come */
	uint64_t copies;  /* and memsets; some make no op (of no bytes) */
};

/* `drain`: what has been taken so far. */
struct due due(const struct baton_drain *drain);
/* Has everything come, `quiet_ns` after the newest op? */
bool due_is_here(const struct baton_drain *drain, int64_t quiet_ns);
/* GPU records that found no room. Some were of calls before or after the window: no more than are
 * missing can have been the window's. */
uint64_t due_lost(const struct baton_drain *drain);
/* Of `rest`, what ran or waited when the last flush came. `shown`: unfinished work that CUPTI has
 * shown, other than kernels; `forced`: it was made to. */
uint64_t due_others(const struct due *rest, uint64_t shown, bool forced);

#endif
