/* The first driver: virtual time. Builds the machines of a script and runs them: each host has its
 * own clock and runs alone until it has to wait for others, so any number of threads gives the same
 * result. */
#ifndef SIMGPU_VIRTUAL_WORLD_H
#define SIMGPU_VIRTUAL_WORLD_H

#include "virtual/machine/state.h"

struct world_options {
	bool truth;
	const char *directory; /* NULL: write no trace */
	unsigned threads;
};

/* Runs the script to its end. 0 or -errno (I/O); a script in which everybody waits for ever ends
 * the program with a message. */
int world_run(struct world *world, const struct script *script,
			  const struct world_options *options);
void world_close(struct world *world);

#endif
