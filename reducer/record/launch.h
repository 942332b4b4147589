/* The launch of a job, not of a kernel. It tells whether this `baton record` was started alone, or
 * as one of several that srun, mpirun or mpiexec started together. Those record one run into one
 * directory. */
#ifndef RECORD_LAUNCH_H
#define RECORD_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

struct launch {
	char id[120];   /* id of the run; equal for all members of a launch */
	bool is_shared; /* the id comes from the environment, so other processes may have it */
	/* hash of all that identifies the launch, so that the next launch has another one */
	uint64_t key;
	int rank, size; /* this process's in the launch; 0 and 1 when it is alone */
};

/* Fills `launch` from the environment. The id is BATON_RUN_ID, else the launcher's or scheduler's
 * id of this launch, else random. */
void launch_read(struct launch *launch);

#endif
