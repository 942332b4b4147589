/* One nsys export during its import: its processes, each with a trace file, and what the readers of
 * all tables share. One thread. */
#ifndef IMPORT_NSYS_FILE_H
#define IMPORT_NSYS_FILE_H

#include "base/table.h"
#include "import/nsys/nsys_names.h"
#include "import/nsys/nsys_schema.h"
#include "import/nsys/nsys_target.h"
#include "import/trace_out.h"

struct import_run;
struct nsys_nccl;
struct nsys_chains;

/* Each process has two open files and some 200 kB; 4,096 are more than one nsys watches. */
enum { NSYS_PROCESSES = 4096, NSYS_PROCESS_DEVICES = 64 };

struct nsys_device {
	int64_t ordinal;
	int64_t gpu; /* its physical number, where the export has it */
	uint32_t id; /* dictionary id */
	uint64_t ops;
	bool named; /* it has a uuid */
};

/* A context belongs to one device. The rows of synchronisation of several versions of nsys have
 * device 0 for every device, so the context decides. */
struct nsys_context {
	int64_t context;
	uint32_t device; /* index in the process's devices */
};

struct nsys_process {
	int64_t global; /* globalPid; 0 when the export has one process and no globalPid */
	int64_t pid;
	int64_t last_ns; /* the latest end so far, on the export's clock */
	struct trace_out *out;
	uint32_t n_devices;
	uint32_t n_contexts;
	struct nsys_device devices[NSYS_PROCESS_DEVICES];
	/* contexts with device work; further ones are not kept */
	struct nsys_context contexts[NSYS_PROCESS_DEVICES];
};

struct nsys_place { /* where a process is */
	int64_t global;
	struct nsys_process *at;
};

/* NULL: no device work was seen in it. */
static inline const struct nsys_context *nsys_context_of(const struct nsys_process *process,
														 int64_t context)
{
	for (uint32_t i = 0; i < process->n_contexts; i++)
		if (process->contexts[i].context == context)
			return &process->contexts[i];
	return NULL;
}

/* Why a row was not used, besides impossible times. */
enum nsys_refusal {
	NSYS_NO_PROCESS,
	NSYS_NO_TIME,
	NSYS_NO_DEVICE,
	NSYS_NO_KIND,
	NSYS_TOO_MANY,
	NSYS_TOO_MANY_FRAMES,
	NSYS_TOO_DEEP,
	NSYS_TOO_MANY_USAGES,
	NSYS_TOO_MANY_NCCL,
	NSYS_TOO_MANY_DOMAINS,
	NSYS_TOO_MANY_FILES,
	NSYS_TOO_MANY_GPUS,
	NSYS_REFUSALS
};

struct nsys_file {
	struct import_run *run;
	struct nsys_db db;
	struct nsys_target target;
	struct nsys_names names;    /* of threads */
	struct nsys_chains *chains; /* call stacks; NULL: none */
	struct nsys_nccl *nccl;     /* NULL: the export has no payloads of NCCL */
	bool single;                /* the rows have no process: all belong to a single one */
	bool open;                  /* a row of a new process adds that process */
	bool no_more;               /* no further file can be opened */
	int error;                  /* -errno of the output */
	uint64_t refused[NSYS_REFUSALS];
	size_t n_processes;
	size_t last; /* the process of the last row: those of one often stand together */
	struct nsys_place *processes;
	struct table places; /* of them, by `global` */
};

void nsys_processes_free(struct nsys_file *file);
/* The process of the globalPid or globalTid in `field`; NULL when it is none of this import's
 * (counted where that is a loss). */
struct nsys_process *nsys_process_of(struct nsys_file *file, const struct nsys_scan *scan,
									 unsigned field);
/* The process of this number on a machine (vmId); NULL: it has no rows. */
const struct nsys_process *nsys_process_on(const struct nsys_file *file, int64_t machine,
										   int64_t pid);
/* The dictionary id of the thread in `field`; 0 when the row has none. */
uint32_t nsys_thread_of(struct nsys_process *process, const struct nsys_scan *scan, unsigned field);
/* The device of a process by its ordinal; NULL when there are too many. */
struct nsys_device *nsys_device_of(struct nsys_file *file, struct nsys_process *process,
								   int64_t ordinal);

/* The dictionary id of a device that may have no work in the process: the end of a copy. 0: the
 * number is none of a device. */
uint32_t nsys_device_id(struct nsys_file *file, struct nsys_process *process, int64_t ordinal);

/* Adds a row with these times of the export. This fills in row[ROW_START] and row[ROW_DUR]. */
void nsys_add_row(struct nsys_file *file, struct nsys_process *process, enum baton_kind kind,
				  int64_t start_ns, int64_t end_ns, int64_t row[BATON_MAX_COLUMNS],
				  uint32_t present);

void nsys_refuse(struct nsys_file *file, enum nsys_refusal why);
/* The same of all rows that a scan still has. */
void nsys_refuse_rest(struct nsys_file *file, struct nsys_scan *scan, enum nsys_refusal why);
/* Stops reading if `error` is the -errno of failed output; 0 changes nothing. */
void nsys_fail(struct nsys_file *file, int error);

#endif
