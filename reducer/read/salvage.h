/* Salvages the live files of processes that were killed or ended by _exit: their contents go into
 * the trace files, then they are removed. Live files of running processes are left alone. A file
 * lock (flock) keeps two salvages apart. */
#ifndef READ_SALVAGE_H
#define READ_SALVAGE_H

#include <stdint.h>

struct salvage_result {
	unsigned files;   /* live files that were drained */
	unsigned failed;  /* live files that could not be drained; each was reported */
	unsigned running; /* processes that still record */
	uint64_t slots;   /* slots added to trace files */
	uint64_t in_flight;
	/* of live files that could not be drained, for want of room on the disk say: slots that wait in
	 * them; launches, and other records, that were dropped */
	uint64_t waiting, lost_launches, lost_others;
	char waiting_in[256]; /* the directory of the last such live file */
};

/* Salvages the live files whose trace file is in `directory` (an absolute path). Looks for them in
 * BATON_RING_DIR, /dev/shm, TMPDIR and the directory itself. Also removes the empty trace files of
 * processes that were killed as they began. 0 or -errno. */
int salvage_directory(const char *directory, struct salvage_result *result);

#endif
