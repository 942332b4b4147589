/* The devices of a run are visited by as many threads as there are cores. Every thread adds its
 * devices up in one summary, and those are merged. */
#ifndef VISITS_H
#define VISITS_H

#include "attribute/device.h"
#include "attribute/foreseen.h"
#include "steps/proposals.h"
#include "summary/reduction.h"

#include <pthread.h>
#include <stdatomic.h>

struct work {
	const struct device_context *context;
	struct device_scan *scans;
	struct reduction *out; /* merged into under the lock */
	atomic_size_t next;
	size_t n, threads;
	atomic_int error;
	pthread_mutex_t lock;
	enum phase {
		PHASE_FORESEE,
		PHASE_BOTH,
		PHASE_SCAN,
		PHASE_PROPOSE,
		PHASE_RESCAN,
		PHASE_STUDY,
		PHASE_STUDY_ONCE,
		PHASE_ATTRIBUTE
	} phase;
	/* by device, in runs whose devices do not agree on their steps */
	struct proposals *proposals;
	struct proposal *given;
	/* by device: what its collectives were told to be; they are those that it has, so far */
	struct foreseen *foreseen;
	atomic_bool foreseeable;
};

/* Visits all devices. 0 or -errno. */
int run_workers(struct work *work, enum phase phase);

#endif
