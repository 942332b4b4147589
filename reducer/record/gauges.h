/* What the node's GPUs show while a job runs: a thread of `baton record`, not of the job, asks NVML
 * once a second and writes gpus.BOOT8.HASH8.baton (docs/FORMAT.md section 8). It touches nothing
 * until a process of this node has begun a trace in the directory. */
#ifndef RECORD_GAUGES_H
#define RECORD_GAUGES_H

#include <baton/writer.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "base/boot.h"
#include "record/nvml.h"

struct gauges {
	const char *directory, *run_id;
	pthread_t thread;
	bool running;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	bool stop; /* under the lock */
	/* all else is the thread's */
	int dirfd, fd;
	off_t written; /* without the end block */
	char boot[BOOT_ID_CHARS + 1], name[64];
	struct timespec seen; /* when the directory last changed */
	bool settled;         /* and it was looked through long enough after that */
	struct nvml nvml;
	struct baton_writer writer;
	uint32_t strings;
};

/* Begins where `gauges` (a struct gauges with its directory and run id) says. It has to live as
 * long as the process: NVML may never answer. Does nothing with BATON_GAUGES=off. */
void gauges_begin(void *gauges);
/* The job has ended. Waits for the thread for a few seconds at most. False: it still hangs in NVML,
 * whose handlers at exit would too. */
bool gauges_end(struct gauges *gauges);

#endif
