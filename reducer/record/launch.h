/* The launch of a job, not of a kernel: is this one `baton record` alone, or one of several that
 * srun, mpirun or mpiexec started together? Those record one run into one directory. */
#ifndef RECORD_LAUNCH_H
#define RECORD_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

struct launch {
	char id[120];   /* of the run: equal for all members of a launch */
	bool is_shared; /* the id is not of this process alone */
	uint64_t key;   /* of the launch: all that is known of it, so that the next one has another */
	int rank, size; /* of us in the launch; 0 of 1 alone */
};

/* Reads the environment: BATON_RUN_ID, else what the launcher or the scheduler calls this launch,
 * else a random id. */
void launch_read(struct launch *launch);

#endif
