/* A run: the trace files of one or more directories (one directory per node), the process that
 * wrote each file and the devices that it drove. Only identities are kept; files are opened again
 * when rows are needed. */
#ifndef READ_RUN_H
#define READ_RUN_H

#include "base/strings.h"

#include "read/damage.h"
#include "read/process.h"

#include <baton/format.h>
#include <stdbool.h>

struct trace;

struct run_device { /* one physical device */
	uint32_t key;   /* "host/ordinal" or "host/uuid" */
	uint32_t name;
	/* indexes of the processes that drive it, by (rank, pid); unknown ranks come last */
	uint32_t *processes;
	uint32_t n_processes;
	uint32_t gauges; /* 1 + index of the file with its readings; 0: none */
	/* text in the run's pool, "" where it is not known: where it sits (docs/FORMAT.md section 8) */
	uint32_t pci, numa, cpus, links;
	uint32_t place; /* from 1, among the GPUs of that file; the order of `links` */
};

/* a file with readings of a node's GPUs; where several have a device, the first one counts */
struct run_gauges {
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
	bool left_out; /* files do not count (copies, another run), or two are of one rank */
	struct damage_log *damage;
};

/* Opens every *.baton file of the directories, and prints what is wrong. Returns an enum status:
 * STATUS_INPUT when no trace could be read; STATUS_PARTIAL when some could not be read or are
 * damaged, or when files of another run were among them (those are left out). */
int run_open(char *const *dirs, size_t n_dirs, struct run *run);
void run_close(struct run *run);

/* ---- parts of run_open(): run_choice.c; n log n for n files ---- */

/* Keeps the files of one run, and one of each process; says what it leaves out. *status: what that
 * makes of the answer. 0 or -ENOMEM. */
int run_choose(struct run *run, int *status);
/* Says which ranks two processes have written. The same results. */
int run_same_ranks(struct run *run, int *status);
size_t run_processes_of(const struct run *run, uint32_t run_id);
/* Frees what it holds: it is not of the run any more. */
void run_forget_process(struct run_process *process);

/* Is this a file with a stored summary, which has no events? */
bool run_is_summary(const char *path);
/* Leaves out what ended more than `last_ns` before the newest op of the run, a block at a time: the
 * cost of reading a run that grows stays the same. */
void run_keep_last(struct run *run, int64_t last_ns);
/* The same of what ended before `since_ns`. */
void run_keep_since(struct run *run, int64_t since_ns);
/* The trace of a process of an open run, as it was when the run was opened. 0 or -errno. */
int run_process_open(const struct run_process *process, struct trace *trace,
					 struct damage_log *log);
/* The size of its file, and of the files of all; for lines of progress. */
uint64_t run_process_bytes(const struct run_process *process);
uint64_t run_bytes(const struct run *run);

/* The members of a collective without arguments: in an import of all ranks every device of every
 * process is one. 0: recordings have arguments, or ranks are missing. */
uint32_t run_ordered_members(const struct run *run);

/* What a device's key has room in. A longer host or uuid is shortened, with its hash at the end. */
enum { RUN_KEY_BYTES = 192 };
/* Writes the key of device `index` of an open trace on its host to `key`. */
void run_device_key(const struct trace *trace, uint32_t index, char *key, size_t bytes);
/* The device's index in the file by that key; of two entries with one key the first. 0: it has
 * none. */
uint32_t run_device_find(const struct trace *trace, const char *wanted);

#endif
