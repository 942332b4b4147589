/* Samples the node's GPUs while a job runs. A thread of `baton record`, not of the job, asks NVML
 * once a second and writes gpus.BOOT8.HASH8.baton (docs/FORMAT.md section 8). It does not load NVML
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
	bool stop; /* protected by the lock */
	/* the thread alone uses what follows */
	int dirfd, fd;
	off_t written; /* bytes written, without the end block */
	char boot[BOOT_ID_CHARS + 1], name[64];
	struct timespec seen; /* when the directory last changed */
	bool settled;         /* the directory was searched long enough after that */
	struct nvml nvml;
	struct baton_writer writer;
	uint32_t strings;
};

/* Starts the thread. `gauges` is a struct gauges with its directory and run id set. It must live as
 * long as the process, because NVML may never answer. With BATON_GAUGES=off nothing is started. */
void gauges_begin(void *gauges);
/* Call when the job has ended: stops the thread, and waits a few seconds for it at most. False: it
 * still hangs in NVML, and then NVML's exit handlers would hang too. */
bool gauges_end(struct gauges *gauges);

#endif
