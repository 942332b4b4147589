/* Live files of processes that are gone (killed, or ended by _exit): what they hold goes into the
 * trace files, then they go. Live files of processes that run are left alone; two salvagers do not
 * get in each other's way (flock). */
#ifndef READ_SALVAGE_H
#define READ_SALVAGE_H

#include <stdint.h>

struct salvage_result {
	unsigned files;   /* live files that were drained */
	unsigned failed;  /* that could not be (told) */
	unsigned running; /* processes that still record */
	uint64_t slots;   /* rows that they added */
	uint64_t in_flight;
};

/* Those whose trace file is in `directory` (absolute). 0 or -errno. Looks in BATON_RING_DIR,
 * /dev/shm, TMPDIR and the directory itself. Empty trace files of processes that were killed as
 * they began are removed. */
int salvage_directory(const char *directory, struct salvage_result *result);

#endif
