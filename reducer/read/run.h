/* A run: the trace files of one or more directories (one per node), what process wrote each and
 * which devices it drove. Nothing but identities is kept; files are opened again where rows are
 * wanted. */
#ifndef READ_RUN_H
#define READ_RUN_H

#include "base/strings.h"

#include "read/damage.h"
#include "read/process.h"

#include <baton/format.h>
#include <stdbool.h>

struct run_device { /* one physical device */
	uint32_t key;   /* "host/ordinal" or "host/uuid" */
	uint32_t name;
	uint32_t
		*processes; /* indexes of the processes that drive it, by (rank, pid); unknown ranks last */
	uint32_t n_processes;
	uint32_t gauges; /* 1 + index of the file with what it showed, 0 none */
};

struct run_gauges { /* what GPUs of a node showed; of several with a device the first counts */
	char *path;
	uint32_t run_id;
};

struct run {
	struct strings pool;
	struct run_process *processes;
	size_t n_processes;
	struct run_device *devices; /* by key */
	size_t n_devices;
	struct run_gauges *gauges; /* by path within a directory */
	size_t n_gauges;
	uint32_t unreadable_files;
	struct damage_log *damage;
};

/* Opens every *.baton file of the directories. Returns an enum status and says what is wrong
 * itself: INPUT when no trace could be read, PARTIAL when some could not or when files of another
 * run lay between (they are left out). */
int run_open(char *const *dirs, size_t n_dirs, struct run *run);
void run_close(struct run *run);

/* The key of device `index` of an open trace on `host`. */
struct trace;
void run_device_key(const struct trace *trace, uint32_t index, char *key, size_t bytes);

#endif
